@testable import MinervaBrokerCore
import MinervaJournal
@testable import MinervaNavigation
import MinervaRecording
import MinervaWire
import Testing

/// What a broker cannot make sense of is named exactly, so that no more than that is set aside (P3).
@Suite("Parts that cannot be used")
struct UnusablePartTests {
  private func journaled(_ count: Int) -> [JournalEntry] {
    var machine = Machine()
    machine.register("shop-1")
    for number in 1...count { machine.request(.open(Command.Opening(ModuleAddress(name: "Ghost"), unhosted: true)), txn: "\(number)") }
    machine.commit()
    return Array(machine.journaled.prefix(count))
  }

  private func refusal(_ scene: JournaledScene) -> UnusablePart? {
    var machine = Machine()
    do throws(UnusablePart) { try machine.broker.restore(scene, now: machine.now) } catch {
      #expect(machine.broker.scenes.isEmpty, "nothing is taken in")
      return error
    }
    return nil
  }

  @Test("P3: the first record that makes no sense is named, and everything before it stands")
  func record() {
    var records = journaled(8)
    let name = records[0].scene
    records[5].record = [0xDE, 0xAD]
    records[7].record = []
    let part = refusal(JournaledScene(scene: name, snapshot: nil, records: records))
    #expect(part?.scene == name)
    #expect(part?.part == .records(after: 5))
    #expect(part?.reason.hasPrefix("record 6: ") == true)
    #expect(refusal(JournaledScene(scene: name, snapshot: nil, records: Array(records.prefix(5)))) == nil)
  }

  @Test("P3: a snapshot that makes no sense is named alone: the records before it may still be there")
  func snapshot() {
    let records = journaled(3)
    let snapshot = JournalSnapshot(scene: records[0].scene, sequence: 3, bytes: [0xF6])
    let part = refusal(JournaledScene(scene: records[0].scene, snapshot: snapshot, records: []))
    #expect(part?.part == .snapshot(3))
    #expect(refusal(JournaledScene(scene: records[0].scene, snapshot: nil, records: records)) == nil)
  }

  @Test("N17: a record that changes nothing here, or had another number where it was written, is named before its number is used again")
  func numbers() {
    var records = journaled(6)
    let name = records[0].scene
    // The same request again is answered from memory: it changes nothing, and the next record would be number 4 once more.
    records[3].record = records[2].record
    let part = refusal(JournaledScene(scene: name, snapshot: nil, records: records))
    #expect(part?.part == .records(after: 3))
    #expect(part?.reason.hasPrefix("record 4 changes nothing to this build") == true, "\(part?.reason ?? "")")
    var jumped = journaled(6)
    jumped.remove(at: 2)
    #expect(refusal(JournaledScene(scene: name, snapshot: nil, records: jumped))?.part == .records(after: 3))
  }

  @Test("P3: a record or a snapshot of a moment that no clock shows is named")
  func moments() throws {
    var records = journaled(3)
    let name = records[0].scene
    let restored = try #require(
      try RestoredScene(JournaledScene(scene: name, snapshot: nil, records: records), settings: SceneSettings()))
    let bytes = try CBOR.encode(SceneImage(at: SceneTime.last.milliseconds + 1, state: restored.state))
    #expect(
      refusal(JournaledScene(scene: name, snapshot: JournalSnapshot(scene: name, sequence: 3, bytes: bytes), records: []))?.part
        == .snapshot(3))
    var late = try SceneRecord(decoding: records[2].record)
    late.at = .max
    records[2].record = try late.encoded()
    #expect(refusal(JournaledScene(scene: name, snapshot: nil, records: records))?.part == .records(after: 2))
  }

  @Test(
    "P3: a snapshot that holds no scene is named alone, and so is a record that begins one, before anything walks the tree"
  )
  func madeUp() throws {
    let records = journaled(3)
    let name = records[0].scene
    let restored = try #require(
      try RestoredScene(
        JournaledScene(scene: name, snapshot: nil, records: records), settings: SceneSettings()))
    let changes: [(String, (inout SceneState) -> Void)] = [
      ("no layer", { $0.layers = [] }),
      (
        "a screen in itself",
        { state in
          _ = state.nodes.update(ScreenID(1)) {
            $0.slots = [SlotState(name: "x", content: ScreenID(1))]
          }
        }
      ),
      (
        "no such tab",
        { state in
          _ = state.nodes.update(ScreenID(1)) {
            $0.container = .tabs(TabsState(tabs: [], selected: 3))
          }
        }
      ),
    ]
    for (what, change) in changes {
      var state = restored.state
      change(&state)
      let snapshot = JournalSnapshot(
        scene: name, sequence: 3, bytes: try CBOR.encode(SceneImage(at: 0, state: state)))
      #expect(
        refusal(JournaledScene(scene: name, snapshot: snapshot, records: []))?.part == .snapshot(3),
        "\(what)")
      let begun = JournalEntry(
        scene: name, sequence: 1,
        record: try SceneRecord(at: .zero, record: .begun(SceneOrigin(state))).encoded())
      #expect(
        refusal(JournaledScene(scene: name, snapshot: nil, records: [begun]))?.part
          == .records(after: 0), "\(what)")
    }
  }

  @Test("N17: a snapshot of another moment than it says is named alone")
  func snapshotsOfAnotherMoment() throws {
    let records = journaled(3)
    let restored = try #require(
      try RestoredScene(JournaledScene(scene: records[0].scene, snapshot: nil, records: records), settings: SceneSettings()))
    let bytes = try CBOR.encode(SceneImage(at: 0, state: restored.state))
    let name = records[0].scene
    #expect(refusal(JournaledScene(scene: name, snapshot: JournalSnapshot(scene: name, sequence: 3, bytes: bytes), records: [])) == nil)
    let wrong = JournalSnapshot(scene: name, sequence: 2, bytes: bytes)
    #expect(refusal(JournaledScene(scene: name, snapshot: wrong, records: []))?.part == .snapshot(2))
  }
}
