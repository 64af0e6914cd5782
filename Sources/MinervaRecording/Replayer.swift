package import MinervaNavigation
package import MinervaWire

/// Feeds a recording to the pure core, line by line: no host, worker or socket (D1).
///
/// Damage of the file and divergence are two things: a line that is not as it was written is `recording.damaged` with its number, a core
/// that does something else than the recorded one is a `Divergence`. The first of either ends the replay.
package struct Replayer: Sendable {
  /// What a replay was, when it came to its end.
  package struct Report: Hashable, Sendable {
    package var head: RecordingHead
    package var records = 0
    /// How many effects were compared.
    package var effects = 0
    /// The number of the last record.
    package var seq: UInt64 = 0
    package var tree: SceneTree
  }

  private enum Phase {
    case head
    /// A record, or the end, comes next.
    case record
    /// What the record did comes next.
    case effects(Record, Step)
    case ended
  }

  /// The name of the file, for errors.
  private let file: String
  private let isVerifying: Bool
  private let describe: Recorder.Describe
  private var phase = Phase.head
  private var line = 0
  private var sum: UInt64 = 0
  private var state: SceneState?
  /// The moment that the recording begins at.
  private var at: UInt64 = 0
  private var head: RecordingHead?
  private var records = 0
  private var effects = 0
  /// The stacks of the recorded tree, as said last.
  private var stacks: [String] = []
  /// Where the core first did something else.
  package private(set) var divergence: Divergence?

  /// - Parameter isVerifying: Whether effects, trees and the final state are compared; else records are fed and that is all.
  package init(file: String, isVerifying: Bool, describe: @escaping Recorder.Describe) {
    self.file = file
    self.isVerifying = isVerifying
    self.describe = describe
  }

  /// Whether there is nothing more to take.
  package var isOver: Bool { divergence != nil }

  /// Takes the next line, without its end.
  ///
  /// - Throws: `recording.damaged`, `recording.newer_format`.
  package mutating func take(_ bytes: [UInt8]) throws(MinervaError) {
    guard divergence == nil else { return }
    line += 1
    let bytes = bytes.last == 0x0D ? Array(bytes.dropLast()) : bytes
    if line == 1 { try checkLayout(bytes) }
    let read: RecordingLine
    do throws(RecordingFault) { read = try RecordingLine(bytes, after: sum) } catch { throw damaged(error.text) }
    sum = Self.sum(of: bytes)
    switch (phase, read) {
    case (.head, .head(let head)): try begin(head)
    case (.record, .fed(let fed)): try feed(fed)
    case (.effects(let record, let step), .effects(let expected)): compare(expected, record, step)
    case (.record, .end(let end)): try finish(end)
    case (.head, _): throw damaged("is not the first of a recording")
    case (.ended, _): throw damaged("comes behind the end")
    default: throw damaged("is out of its place")
    }
  }

  /// The file is over.
  ///
  /// - Throws: `recording.damaged` when the recording is cut off.
  package mutating func finish() throws(MinervaError) -> Report? {
    guard divergence == nil else { return nil }
    guard case .ended = phase, let head, let state else {
      line += 1
      throw damaged(line == 1 ? "is missing: the file is empty" : "is missing: the recording is cut off behind #\(state?.seq ?? 0)")
    }
    return Report(head: head, records: records, effects: effects, seq: state.seq, tree: state.tree)
  }

  // MARK: Lines

  /// A newer layout may have other sums: it is told apart first.
  private func checkLayout(_ bytes: [UInt8]) throws(MinervaError) {
    guard let value = try? JSONValue(parsing: bytes), case .integer(let layout)? = value["head"]?["recording"] else { return }
    guard layout > Int64(RecordingHead.layout) else { return }
    throw MinervaError(
      .recordingNewerFormat, "\(file) has layout \(layout), this Minerva reads up to \(RecordingHead.layout); use the newer one")
  }

  /// The state that all lines so far lead to, with the moment of the last record.
  package var image: SceneImage? { state.map { SceneImage(at: max(at, $0.time.milliseconds), state: $0) } }

  private mutating func begin(_ head: RecordingHead) throws(MinervaError) {
    let image: SceneImage
    do throws(MinervaError) { image = try CBOR.decode(SceneImage.self, from: head.image) } catch {
      throw damaged("holds a state this Minerva cannot read (\(error.message)); \(head.version) wrote it")
    }
    guard image.state.hasRoom, SceneTime(milliseconds: image.at) <= .last else {
      throw damaged("holds a state with numbers after which there are no more")
    }
    if let fault = image.state.structuralFault { throw damaged("holds a state that is none: \(fault)") }
    self.head = head
    state = image.state
    at = image.at
    stacks = head.tree.stacks ?? []
    phase = .record
    let tree = image.state.tree
    guard isVerifying, tree.hash64 != head.tree.hash || image.state.seq != head.after else { return }
    diverge(
      at: head.after, expected: head.tree.hash, tree, cause: "the starting state is not the one that was recorded")
  }

  private mutating func feed(_ fed: FedRecord) throws(MinervaError) {
    let entry: SceneRecord
    do { entry = try SceneRecord(decoding: fed.body) } catch { throw damaged("holds a record this Minerva cannot read (\(error))") }
    guard var state, fed.seq == state.seq + 1 else { throw damaged("is record #\(fed.seq), #\((state?.seq ?? 0) + 1) is the next") }
    let step = state.apply(entry.record, at: SceneTime(milliseconds: entry.at))
    self.state = state
    records += 1
    guard step.seq == nil else { return phase = .effects(entry.record, step) }
    diverge(
      at: fed.seq, expected: nil, state.tree, cause: "\(entry.record.words) changed nothing, it was recorded because it did")
  }

  private mutating func compare(_ expected: RecordedEffects, _ record: Record, _ step: Step) {
    phase = .record
    if let said = expected.tree.stacks { stacks = said }
    guard isVerifying, let state else { return }
    effects += expected.items.count
    let got = step.effects.map(\.recorded)
    let tree = state.tree
    let cause = Self.cause(expected.items, got)
    guard cause != nil || tree.hash64 != expected.tree.hash || expected.seq != step.seq else { return }
    diverge(
      at: expected.seq, expected: expected.tree.hash, tree, cause: "\(cause ?? "the effects agree") after \(record.words)")
  }

  private mutating func finish(_ end: RecordingEnd) throws(MinervaError) {
    phase = .ended
    guard end.records == records else { throw damaged("tells of \(end.records) records, there are \(records)") }
    guard isVerifying, let state, state.fingerprint != end.state else { return }
    diverge(
      at: state.seq, expected: nil, state.tree, cause: "the state after the last record is another, though every effect was as recorded")
  }

  private mutating func diverge(at seq: UInt64, expected: UInt64?, _ tree: SceneTree, cause: String) {
    divergence = Divergence(
      seq: seq, expected: expected ?? tree.hash64, got: tree.hash64, expectedStacks: expected == nil ? describe(tree) : stacks,
      gotStacks: describe(tree), cause: cause)
  }

  private func damaged(_ what: String) -> MinervaError {
    var whole = records
    if case .effects = phase { whole -= 1 }
    let before = whole > 0 && isVerifying ? "; \(whole == 1 ? "the record before it holds" : "the \(whole) records before it hold")" : ""
    return MinervaError(.recordingDamaged, "\(file): line \(line) \(what)\(before)")
  }

  /// The sum that a whole line ends with.
  private static func sum(of bytes: [UInt8]) -> UInt64 {
    Hexadecimal.value(String(decoding: bytes.dropLast(2).suffix(16), as: UTF8.self)) ?? 0
  }

  /// What is different about the effects, by name; nil when nothing is.
  private static func cause(_ expected: [RecordedEffects.Item], _ got: [RecordedEffects.Item]) -> String? {
    if expected == got { return nil }
    func missing(_ items: [RecordedEffects.Item], in others: [RecordedEffects.Item]) -> [EffectWords] {
      var others = others
      return items.filter { item in
        guard let index = others.firstIndex(of: item) else { return true }
        others.remove(at: index)
        return false
      }.map { EffectWords(text: $0.words) }
    }
    let absent = missing(expected, in: got)
    let unexpected = missing(got, in: expected)
    // What people look for first: screens that come and go.
    func moves(_ list: [EffectWords], without others: [EffectWords]) -> EffectWords? {
      list.first { item in
        (item.name.hasPrefix("removed ") || item.name.hasPrefix("presented ")) && !others.contains { $0.name == item.name }
      }
    }
    if let gone = moves(absent, without: unexpected) { return "\(gone.name) missing" }
    if let extra = moves(unexpected, without: absent) { return "\(extra.name) not expected" }
    // What came, in words the same, differs in what the words leave out.
    if let same = absent.first(where: { unexpected.contains($0) }) { return "\(same.name) differs in its details" }
    if let renamed = absent.first(where: { gone in unexpected.contains { $0.name == gone.name } }),
      let instead = unexpected.first(where: { $0.name == renamed.name })
    {
      return "\(renamed.text) expected, got \(instead.rest)"
    }
    if let gone = absent.first { return "\(gone.name) missing" }
    if let extra = unexpected.first { return "\(extra.name) not expected" }
    return "the effects came in another order"
  }
}

/// Where a core first did something else than a recording says.
package struct Divergence: Hashable, Sendable {
  /// The record after which it shows.
  package var seq: UInt64
  /// The hashes of the trees.
  package var expected: UInt64
  package var got: UInt64
  package var expectedStacks: [String]
  package var gotStacks: [String]
  /// What happened, or did not, after which record.
  package var cause: String

  /// The statement, then the difference of the trees a line a stack, and its cause.
  package var lines: [String] {
    var lines: [String] = []
    if expected == got {
      lines.append("#\(seq) has the expected tree \(Self.short(got)) and other effects")
    } else {
      lines.append("#\(seq) expected tree \(Self.short(expected)), got \(Self.short(got))")
      lines += expectedStacks.filter { !gotStacks.contains($0) }.map { "- \($0)" }
      lines += gotStacks.filter { !expectedStacks.contains($0) }.map { "+ \($0)" }
    }
    if lines.count > 1 { lines[lines.count - 1] += "    cause: \(cause)" } else { lines.append("cause: \(cause)") }
    return lines
  }

  /// As an error; its text has a line for each of `lines`.
  package var error: MinervaError { MinervaError(.replayDiverged, lines.joined(separator: "\n"), details: ["seq": "\(seq)"]) }

  private static func short(_ hash: UInt64) -> String { String(Hexadecimal.text(hash).suffix(6)) }
}
