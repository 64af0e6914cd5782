import ListDiff
import Minerva
import MinervaHosting
import MinervaInterfaces
import Testing

/// A section as a viewer has it.
struct Part: DiffableSection, Equatable {
  struct Row: Diffable, Equatable {
    var diffID: String
    var text: String
    func hasSameContent(as other: Row) -> Bool { text == other.text }
  }

  var diffID: String
  var items: [Row]

  func replacingItems(_ items: [Row]) -> Part { Part(diffID: diffID, items: items) }

  static func of(_ screen: Screen) -> [Part] {
    screen.sections.map { section in
      Part(diffID: section.identifier, items: section.cells.map { Row(diffID: $0.identifier, text: $0.content.text) })
    }
  }
}

/// Random histories of a list against what its callers were promised.
@Suite("The list's machine, on random histories")
struct ListPropertyTests {
  private struct Dice {
    var state: UInt64
    mutating func roll(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
  }

  /// What the history must come to, kept in the plainest way.
  private struct Model {
    /// What each caller gave, by its number, in the order of the calls.
    var given: [(caller: UInt64, rows: [Part])] = []
    var viewer: [Part] = []
    var said: [UInt64: [Part]] = [:]
    var version: UInt64 = 0
    var announced = 0
    /// Turns whose rendering was handed in and not answered.
    var unanswered = 0
    var seenReports = 0
    var seenTurnAnswers = 0
  }

  private static func randomList(_ dice: inout Dice) -> Screen {
    var ids = Array(1...12)
    var text: [String] = []
    for section in ["a", "b", "c"].prefix(1 + dice.roll(3)) {
      var rows: [String] = []
      for _ in 0..<dice.roll(6) where !ids.isEmpty {
        rows.append("\(ids.remove(at: dice.roll(ids.count)))\(["", "x", "y"][dice.roll(3)])")
      }
      text.append("\(section):\(rows.joined(separator: ","))")
    }
    return list(text.joined(separator: " "), options: ListOptions(reloadsAbove: [3, 10_000][dice.roll(2)]))
  }

  @Test("Every caller has one true answer; versions follow each other; viewers that replay have the value; what is not seen is not told")
  func histories() throws {
    let start = UInt64.random(in: 1...UInt64.max)
    for round in 0..<400 {
      let seed = start &+ UInt64(round)
      do { try history(seed) } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }

  private struct Broken: Error { var what: String }

  private func history(_ seed: UInt64) throws {
    var dice = Dice(state: seed)
    var crank = Crank()
    var model = Model()
    func check(_ isTrue: Bool, _ what: String) throws { if !isTrue { throw Broken(what: what) } }

    func observe() throws {
      for report in crank.reports[model.seenReports...] {
        if report.answersTurn {
          try check(model.announced == 0, "a turn was answered before the last rendering that was announced")
          model.unanswered = 0
        }
        let rows = Part.of(report.update.screen)
        if report.from == 0, let said = model.said[report.to] {
          try check(rows == said, "said again, and not what was said")
          continue
        }
        try check(report.from == model.version, "v\(report.from) does not follow v\(model.version)")
        try check(report.to == report.from + 1 || (report.to == 0 && rows.isEmpty), "v\(report.from) → v\(report.to)")
        if !report.changes.changes.isEmpty {
          let changes = try SectionedChangeSet(decoding: report.changes.changes)
          let replayed = try changes.apply(to: model.viewer, from: rows)
          try check(replayed == rows, "a replay gives \(replayed)")
          try check(ChangeCounts(changes) == report.changes.counts, "counts that are not those of the change set")
        }
        model.viewer = rows
        model.said[report.to] = rows
        model.version = report.to
      }
      model.seenReports = crank.reports.count
      if crank.turnAnswers > model.seenTurnAnswers {
        try check(model.announced == 0, "a turn was answered before the last rendering that was announced")
        model.unanswered = 0
        model.seenTurnAnswers = crank.turnAnswers
      }
    }

    for _ in 0..<60 {
      let told = crank.reports.count
      switch dice.roll(12) {
      case 0...3:
        let screen = Self.randomList(&dice)
        let answersTurn = model.announced > 0 && dice.roll(2) == 0
        let caller = crank.caller()
        if answersTurn {
          model.announced -= 1
          model.unanswered += 1
        }
        model.given.append((caller, Part.of(screen)))
        crank.take(crank.machine.update(try ListUpdate(screen), state: nil, answersTurn: answersTurn, caller: caller))
      case 4: crank.machine.announce(); model.announced += 1
      case 5:
        crank.take(crank.machine.setVisible(dice.roll(2) == 0))
      case 6:
        // A call about what is shown: refused, or a value like another.
        let rows = crank.machine.shown?.screen.sections.flatMap { $0.cells.map(\.identifier) } ?? []
        guard !rows.isEmpty, let path = crank.machine.indexPath(of: rows[dice.roll(rows.count)], in: nil) else { continue }
        let caller = crank.caller()
        var without = model.viewer
        do {
          crank.take(try crank.machine.remove(at: path, isAnimated: true, caller: caller))
          without[path.section].items.remove(at: path.item)
          if without[path.section].items.isEmpty { without.remove(at: path.section) }
          model.given.append((caller, without))
        } catch {}
      case 7:
        crank.take(crank.machine.repeatLast())
      default:
        let wasVisible = crank.machine.isVisible
        crank.step()
        if !wasVisible, model.version > 0 {
          // What was in flight lands; nothing takes off.
          try check(crank.reports.count - told <= 2, "an unseen list goes on")
        }
      }
      try observe()
      for (caller, answers) in crank.answers { try check(answers.count == 1, "caller \(caller) was told \(answers)") }
    }

    // The end: everything announced comes, the list is seen, all lands.
    while model.announced > 0 {
      let screen = Self.randomList(&dice)
      model.announced -= 1
      model.unanswered += 1
      let caller = crank.caller()
      model.given.append((caller, Part.of(screen)))
      crank.take(crank.machine.update(try ListUpdate(screen), state: nil, answersTurn: true, caller: caller))
      try observe()
    }
    // Turns are answered whether anybody sees the list or not.
    if !crank.machine.isVisible {
      let reports = crank.reports.count
      crank.run()
      try observe()
      try check(model.unanswered == 0, "turns wait for a list that nobody sees")
      try check(crank.reports.count <= reports + 2, "an unseen list goes on")
    }
    crank.take(crank.machine.setVisible(true))
    crank.run()
    try observe()
    try check(model.unanswered == 0, "turns that were never answered")
    if let last = model.given.last { try check(model.viewer == last.rows, "viewers have not the last value") }
    for (index, given) in model.given.enumerated() {
      guard let answer = crank.answers[given.caller]?.first else { throw Broken(what: "caller \(given.caller) was never told") }
      func value(of version: UInt64) -> [Part]? {
        crank.reports.first { $0.to == version && ($0.from > 0 || version <= 1) }.map { Part.of($0.update.screen) }
      }
      switch answer {
      case .applied(let version): try check(value(of: version) == given.rows, "v\(version) is not what caller \(given.caller) gave")
      case .superseded(let version):
        let shown = value(of: version)
        try check(
          model.given[(index + 1)...].contains { $0.rows == shown }, "v\(version) is not newer than what caller \(given.caller) gave")
      case .closed: throw Broken(what: "closed")
      }
    }
  }
}
