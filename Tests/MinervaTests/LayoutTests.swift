import Minerva
import Testing

/// Where cells stand: the numbers of a container of 200 by 500.
@Suite("List layout")
struct ListLayoutTests {
  private typealias Size = ListLayout.Size

  private func layout(
    _ distribution: ListSection.Distribution, _ cells: [ListLayout.Cell], direction: ListSection.Direction = .vertical, inset: Int = 0,
    line: Int = 0, item: Int = 0
  ) -> ListLayout {
    let constraints = ListSection.Constraints(
      inset: inset, lineSpacing: line, itemSpacing: item, distribution: distribution, direction: direction)
    return ListLayout([.init(constraints: constraints, cells: cells)], in: Size(width: 200, height: 500))
  }

  private let nineteen = [ListLayout.Cell](repeating: .explicit(width: 75, height: 100), count: 19)

  @Test("19 cells of 75 by 100: entire row, equally, proportionally, horizontal")
  func distributions() {
    #expect(layout(.entireRow, nineteen).contentSize == Size(width: 200, height: 1_900))
    #expect(layout(.equally(3), nineteen).contentSize == Size(width: 200, height: 700))
    #expect(layout(.proportionally, nineteen).contentSize == Size(width: 200, height: 1_000))
    #expect(layout(.entireRow, nineteen, direction: .horizontal).contentSize == Size(width: 1_425, height: 500))
  }

  @Test(
    "A last cell fills its row from 100 on, else a row of its own",
    arguments: [(1, 100, 150), (2, 100, 100), (3, 146, 200), (5, 200, 150)])
  func lastCellFills(count: Int, height: Int, width: Int) throws {
    let cells = [ListLayout.Cell](repeating: .explicit(width: 50, height: 100), count: count)
    let layout = layout(.proportionallyWithLastCellFillingWidth(minimum: 100), cells + [.measured(width: 30) { _ in 46 }])
    #expect(layout.contentSize == Size(width: 200, height: height))
    let last = try #require(layout.frames.first?.last)
    #expect((last.width, last.height) == (width, 46))
  }

  @Test("Relative cells share what is left of 500")
  func relativeCells() {
    let cell = ListLayout.Cell.explicit(width: 75, height: 100)
    #expect(layout(.entireRow, [cell, .relative]).frames[0].map(\.height) == [100, 400])
    #expect(layout(.entireRow, [.relative, cell, .relative]).frames[0].map(\.height) == [200, 100, 200])
    // In sections of their own as well, and a remainder to the first.
    let alone = ListLayout(
      [.init(cells: [.relative]), .init(cells: [cell]), .init(cells: [.relative, .relative])], in: Size(width: 200, height: 500))
    #expect(alone.frames.map { $0.map(\.height) } == [[134], [100], [133, 133]])
    #expect(alone.contentSize.height == 500)
    // Nothing is left.
    #expect(layout(.entireRow, nineteen + [.relative]).frames[0].last?.height == 0)
  }

  @Test("Lengths that no screen has are cut, whatever the author or a message says", arguments: [Int.max, Int.min, -1, 1 << 40])
  func absurdLengths(length: Int) {
    let distributions: [ListSection.Distribution] = [
      .entireRow, .equally(length), .equally(3), .proportionally, .proportionallyWithLastCellFillingWidth(minimum: length),
    ]
    for distribution in distributions {
      for direction in [ListSection.Direction.vertical, .horizontal] {
        let cells: [ListLayout.Cell] = [
          .explicit(width: length, height: length), .relative, .measured(width: length) { _ in length }, .explicit(width: 1, height: 1),
        ]
        let constraints = ListSection.Constraints(
          inset: length, lineSpacing: length, itemSpacing: length, distribution: distribution, direction: direction)
        let sections = [ListLayout.Section](repeating: .init(constraints: constraints, cells: cells), count: 3)
        let layout = ListLayout(sections, in: Size(width: length, height: length))
        #expect(layout.frames.map(\.count) == [4, 4, 4])
        #expect(layout.frames.joined().allSatisfy { $0.width >= 0 && $0.height >= 0 && $0.width <= 1 << 20 })
        _ = ListLayout(sections, in: Size(width: 80, height: 24))
      }
    }
  }

  @Test("Spacing counts between cells and rows, not after the last")
  func spacing() {
    #expect(layout(.entireRow, nineteen, line: 10).contentSize.height == 1_900 + 18 * 10)
    #expect(layout(.proportionally, nineteen, line: 5, item: 50).contentSize.height == 1_000 + 9 * 5)
    // 75 + 51 + 75 is one more than fits.
    #expect(layout(.proportionally, nineteen, item: 51).contentSize.height == 1_900)
    #expect(layout(.entireRow, nineteen, direction: .horizontal, item: 10).contentSize.width == 1_425 + 18 * 10)
    let inset = layout(.equally(2), [.explicit(width: 1, height: 7), .explicit(width: 1, height: 9)], inset: 10, item: 20)
    #expect(inset.frames[0] == [.init(x: 10, y: 10, width: 80, height: 7), .init(x: 110, y: 10, width: 80, height: 9)])
    #expect(inset.contentSize == Size(width: 200, height: 29))
  }

  @Test("No cell of a vertical list stands outside its container or on another, whatever the constraints")
  func nothingOverlaps() {
    var random = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 1...UInt64.max, using: &random)
    var state = seed
    func draw(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for round in 0..<300 {
      let cells = (0..<draw(12)).map { _ -> ListLayout.Cell in
        draw(5) == 0 ? .relative : .explicit(width: draw(260), height: 1 + draw(90))
      }
      let distribution: ListSection.Distribution =
        [.entireRow, .equally(draw(5)), .proportionally, .proportionallyWithLastCellFillingWidth(minimum: draw(220))][draw(4)]
      let layout = layout(distribution, cells, inset: draw(20), line: draw(5), item: draw(30))
      let frames = layout.frames[0].filter { $0.width > 0 && $0.height > 0 }
      for (index, a) in frames.enumerated() {
        #expect(a.x >= 0 && a.x + a.width <= 200, "seed \(seed), round \(round)")
        #expect(a.y + a.height <= layout.contentSize.height, "seed \(seed), round \(round)")
        for b in frames[..<index] {
          let apart = a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height || b.y >= a.y + a.height
          #expect(apart, "seed \(seed), round \(round): \(a) on \(b)")
        }
      }
    }
  }

  @Test("On a terminal a cell takes the lines that it draws, wide characters counted as two columns")
  func terminal() {
    let section = ListSection("a") {
      Label("l", "運動日誌 a b c")
      Label("m", "short")
    }
    for columns in [6, 10, 40] {
      let layout = ListLayout([section], columns: columns, lines: 20)
      #expect(layout.frames[0].map(\.height) == section.cells.map { $0.render(width: columns).count })
    }
  }
}
