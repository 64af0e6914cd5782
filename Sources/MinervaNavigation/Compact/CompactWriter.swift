/// Writes values one after another as few bytes: what journals and processes exchange most.
///
/// Equal values give equal bytes (N17). Numbers are LEB128, texts and bytes have their length in front, an optional has a byte in front.
package struct CompactWriter {
  package private(set) var bytes: [UInt8] = []

  package init(capacity: Int = 128) { if capacity > 0 { bytes.reserveCapacity(capacity) } }

  package mutating func byte(_ byte: UInt8) { bytes.append(byte) }

  package mutating func flag(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

  package mutating func number(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  package mutating func number(_ number: UInt32) { self.number(UInt64(number)) }

  package mutating func text(_ text: String) {
    number(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  package mutating func blob(_ blob: [UInt8]) {
    number(UInt64(blob.count))
    bytes.append(contentsOf: blob)
  }

  /// Appends bytes that say themselves where they end.
  package mutating func raw(_ raw: some Collection<UInt8>) { bytes.append(contentsOf: raw) }

  /// Makes room for so many more bytes, with little to spare while there are few.
  package mutating func reserveTightly(_ more: Int) {
    let needed = bytes.count + more
    if needed > bytes.capacity, needed < 4_096 { bytes.reserveCapacity(needed + needed / 4) }
  }

  /// Drops what was written first.
  package mutating func removeFirst(_ count: Int) { bytes.removeFirst(count) }

  package mutating func optional<Value>(_ value: Value?, _ write: (inout CompactWriter, Value) -> Void) {
    guard let value else { return byte(0) }
    byte(1)
    write(&self, value)
  }

  package mutating func list<Value>(_ values: [Value], _ write: (inout CompactWriter, Value) -> Void) {
    number(UInt64(values.count))
    for value in values { write(&self, value) }
  }
}
