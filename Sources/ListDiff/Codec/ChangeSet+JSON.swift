/// Writes change sets as JSON text.
struct JSONWriter {
  private var bytes: [UInt8] = []

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func raw(_ text: StaticString) {
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func number(_ value: Int) {
    if value < 10, value >= 0 { bytes.append(UInt8(48 + value)) } else { bytes.append(contentsOf: String(value).utf8) }
  }

  mutating func array<Values: Collection>(_ values: Values, _ write: (inout JSONWriter, Values.Element) -> Void) {
    bytes.append(UInt8(ascii: "["))
    var first = true
    for value in values {
      if !first { bytes.append(UInt8(ascii: ",")) }
      first = false
      write(&self, value)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  mutating func numbers(_ values: some Collection<Int>) { array(values) { $0.number($1) } }

  mutating func object(_ changes: ChangeSet) {
    raw("{\"old\":")
    number(changes.oldCount)
    raw(",\"new\":")
    number(changes.newCount)
    raw(",\"deletes\":")
    numbers(changes.deletes)
    raw(",\"inserts\":")
    numbers(changes.inserts)
    raw(",\"moves\":")
    array(changes.moves) { $0.numbers([$1.from, $1.to]) }
    raw(",\"updates\":")
    array(changes.updates) { $0.numbers([$1.old, $1.new]) }
    raw("}")
  }

  mutating func path(_ path: ItemPath) { numbers([path.section, path.item]) }

  mutating func object(_ changes: SectionedChangeSet) {
    let items = changes.items
    raw("{\"sections\":")
    object(changes.sections)
    raw(",\"oldItems\":")
    numbers(changes.oldItemCounts)
    raw(",\"newItems\":")
    numbers(changes.newItemCounts)
    raw(",\"deletes\":")
    array(items.deletes) { $0.path($1) }
    raw(",\"inserts\":")
    array(items.inserts) { $0.path($1) }
    raw(",\"moves\":")
    array(items.moves) { writer, move in writer.array([move.from, move.to]) { $0.path($1) } }
    raw(",\"updates\":")
    array(items.updates) { writer, update in writer.array([update.old, update.new]) { $0.path($1) } }
    raw("}")
  }
}

extension ChangeSet {
  /// The change set as JSON text on one line:
  /// `{"old":3,"new":3,"deletes":[],"inserts":[],"moves":[[0,2]],"updates":[]}`.
  ///
  /// `old` and `new` are the lists' lengths, moves are pairs of from and to, updates of old and new position. Decoders of
  /// `Codable` read it back.
  public var json: String {
    var writer = JSONWriter()
    writer.object(self)
    return writer.text
  }
}

extension SectionedChangeSet {
  /// The change set as JSON text on one line: `sections` as in ``ChangeSet/json``, `oldItems` and `newItems` with the number
  /// of items in each section, then item columns whose paths are pairs of section and item.
  public var json: String {
    var writer = JSONWriter()
    writer.object(self)
    return writer.text
  }
}
