import Minerva

/// A hash over what rows and sections show, equal in every process and every run.
///
/// FNV-1a over eight bytes at a time with a final mix; 64 bits, so that two contents of one row collide once in 2⁶⁴.
struct ContentHash {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ word: UInt64) {
    state = (state ^ word) &* 0x0000_0100_0000_01B3
    state ^= state >> 29
  }

  mutating func add(_ text: String) {
    var word: UInt64 = 0
    var count: UInt64 = 0
    for byte in text.utf8 {
      word = word << 8 | UInt64(byte)
      count += 1
      if count & 7 == 0 { add(word) }
    }
    add(word)
    add(count)
  }

  mutating func add(_ text: String?) {
    guard let text else { return add(0xFFFF_FFFF_FFFF_FFFF) }
    add(text)
  }

  mutating func add(_ texts: [String]?) {
    guard let texts else { return add(0xFFFF_FFFF_FFFF_FFFE) }
    for text in texts { add(text) }
    add(UInt64(texts.count))
  }

  mutating func add(_ cell: CellContent) {
    add(cell.text)
    add(cell.detail)
    add(cell.value)
    add(cell.placeholder)
    add(cell.options)
    add(cell.actions)
    add(UInt64(bitPattern: Int64(cell.height ?? -1)))
    add(UInt64(bitPattern: Int64(cell.traits?.rawValue ?? 0)))
    let flags: UInt64 = (cell.disabled == true ? 1 : 0) | (cell.marked == true ? 2 : 0) | (cell.secret == true ? 4 : 0)
    add(flags)
    for inner in cell.cells ?? [] {
      add(inner.id)
      add(inner)
    }
  }

  mutating func add(_ size: ListCellSize) {
    switch size {
    case .measured: add(0)
    case .explicit(let width, let height):
      add(UInt64(bitPattern: Int64(width)))
      add(UInt64(bitPattern: Int64(height)))
    case .relative: add(1)
    }
  }

  var value: Int { Int(truncatingIfNeeded: state ^ (state >> 32)) }
}
