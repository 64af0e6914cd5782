import Minerva
import MinervaHosting
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import Testing

private enum Tabs: Module {
  typealias Output = Int
}

private enum Pair: Module {}

private enum Picking: Module {
  typealias Result = Int
  static let slots = ["content"]
}

/// Split, tab and modal coordinators as they come (K6).
@Suite("Ready coordinators (K6)")
struct ReadyCoordinatorTests {
  private func acceptance(_ verdict: LinkVerdict) throws -> Acceptance {
    guard case .accepted(let acceptance) = verdict else { throw MinervaError(.badMessage, "\(verdict)") }
    return acceptance
  }

  @Test("K6: a tab coordinator brings its tabs in order and hears its modules")
  func tabs() async throws {
    let host = try TestHost([
      ModuleOffer { (_: NoInput, context: Context<Tabs>) in
        TabCoordinator(
          context, "Shop",
          tabs: [
            .init("one", "First", try .tab("one", Counter.self, .init(start: 1))),
            .init("two", "Second", try .tab("two", Counter.self, .init(start: 2))),
          ], selected: "two"
        ) { event, context in
          if let number = try event.result(of: Counter.self) { try context.output(number) }
        }
      }
    ])
    let made = try acceptance(await host.open("Tabs", as: 1))
    guard case .tabs(let tabs, 1) = made.container else { throw MinervaError(.badMessage, "\(made.container)") }
    #expect(tabs.map(\.name) == ["one", "two"])
    #expect(tabs.map { String(decoding: $0.start.input, as: UTF8.self) } == [#"{"start":1}"#, #"{"start":2}"#])
    let shown = try ScreenRendering(encoded: await host.broker.renderings.first(1)[0].rendering.body)
    #expect(shown.title == "Shop" && shown.tabs?.map(\.title) == ["First", "Second"])
    await host.send(.childEnded(child: ScreenID(2), module: "Counter", reason: .finished, result: Array("7".utf8)), to: 1)
    #expect(await host.broker.turns.first(1)[0].report.outputs == [Array("7".utf8)])
  }

  @Test("K6: a split coordinator brings both sides, and may leave the detail empty", arguments: [true, false])
  func split(hasDetail: Bool) async throws {
    let host = try TestHost([
      ModuleOffer { (_: NoInput, context: Context<Pair>) in
        SplitCoordinator(
          context, "Pair", primary: try .root(Counter.self, .init(start: 1)),
          detail: hasDetail ? try .root(Counter.self, .init(start: 2)) : nil)
      }
    ])
    let made = try acceptance(await host.open("Pair", as: 1))
    guard case .split(let primary, let detail, false) = made.container else { throw MinervaError(.badMessage, "\(made.container)") }
    #expect(primary.module.name == "Counter" && (detail != nil) == hasDetail)
  }

  @Test("K6: a modal coordinator vetoes what it is told to, opens its content once, and ends as that ends")
  func modal() async throws {
    let host = try TestHost([
      ModuleOffer { (_: NoInput, context: Context<Picking>) in
        ModalCoordinator(context, "Pick", Counter.self, .init(start: 3), vetoes: .dismiss)
      }
    ])
    #expect(try acceptance(await host.open("Picking", as: 1)).slots == ["content"])
    let first = await host.broker.turns.first(1)[0].report
    #expect(first.vetoes == .dismiss)
    guard case .open(let opening)? = first.requests.first?.action else { throw MinervaError(.badMessage, "\(first.requests)") }
    #expect(opening.via == .embed("content") && opening.input == Array(#"{"start":3}"#.utf8))
    await host.send(.childEnded(child: ScreenID(2), module: "Counter", reason: .finished, result: Array("7".utf8)), to: 1)
    #expect(await host.broker.turns.first(1)[0].report.ending == .finish(Array("7".utf8)))
    // Made again it finds its content where it was.
    _ = await host.resume("Picking", "{}", state: first.state.map { String(decoding: $0, as: UTF8.self) }, nextTurn: 3, lease: 1, as: 2)
    #expect(await host.broker.turns.first(1)[0].report.requests.isEmpty)
    await host.tap("close", on: 2)
    #expect(await host.broker.turns.first(1)[0].report.ending == .cancel)
  }

  @Test(
    "K1: a coordinator knows its children; K6: it dismisses all that it has presented; L4: it configures the leaf of a container; it arranges its stack"
  )
  func requests() async throws {
    let host = try TestHost([
      .scripted([
        "ask": { me in
          let children = try await me.context.children
          me.note("\(children)")
        },
        "dismiss": { try $0.context.dismissAllPresented() },
        "root": { try $0.context.popToRoot() },
        "detail": { try $0.context.showDetail(Counter.self, .init(start: 3)) },
        "arrange": { try $0.context.setScreens([ScreenID(4), ScreenID(1)], in: .main) },
        "open": { me in
          try me.context.open(Tabs.self, NoInput(), via: .root) { try $0.configure(Counter.self, .init(start: 9)) }
        },
      ])
    ])
    await host.open("Scripted", as: 1)
    _ = await host.broker.turns.first(1)
    for row in ["ask", "dismiss", "open", "root", "detail", "arrange"] { await host.tap(row, on: 1) }
    let turns = await host.broker.turns.first(6).map(\.report)
    #expect(turns[0].state == Array(#"{"log":["[s2]"]}"#.utf8))
    #expect(turns[1].requests.map(\.action) == [.dismissPresented(.id(ScreenID(1)))])
    guard case .open(let opening)? = turns[2].requests.first?.action else { throw MinervaError(.badMessage, "\(turns[2].requests)") }
    #expect(opening.configuration == [Command.ModuleInput(module: "Counter", input: Array(#"{"start":9}"#.utf8))])
    #expect(turns[3].requests.map(\.action) == [.backRoot(in: nil)])
    guard case .open(let detail)? = turns[4].requests.first?.action else { throw MinervaError(.badMessage, "\(turns[4].requests)") }
    #expect(detail.via == .detail && detail.module.name == "Counter" && detail.input == Array(#"{"start":3}"#.utf8))
    #expect(turns[5].requests.map(\.action) == [.setStack(.main, [.screen(.id(ScreenID(4))), .screen(.id(ScreenID(1)))])])
  }
}
