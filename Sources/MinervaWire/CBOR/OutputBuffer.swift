/// Growing memory that a message is written into once.
///
/// Raw memory instead of an array: an array's append checks uniqueness, exclusivity and capacity for every byte, which is most of the cost of
/// encoding a small struct. All unsafe writing of the wire is in this file.
@safe package final class OutputBuffer {
  private var memory: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var length = 0
  /// How many bytes have been written.
  package var count: Int { length }

  package init(capacity: Int = 256) {
    self.capacity = max(capacity, 64)
    unsafe memory = .allocate(capacity: self.capacity)
  }

  deinit { unsafe memory.deallocate() }

  /// Forgets what was written, keeps the memory.
  package func removeAll() { length = 0 }

  /// Forgets what was written after `length` bytes.
  package func truncate(to count: Int) {
    precondition(count >= 0 && count <= length, "nothing was written there")
    length = count
  }

  @inline(__always) private func reserve(_ more: Int) {
    if capacity - length < more { grow(more) }
  }

  @inline(never) private func grow(_ more: Int) {
    let wanted = max(capacity * 2, length + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
    unsafe larger.update(from: memory, count: length)
    unsafe memory.deallocate()
    unsafe memory = larger
    capacity = wanted
  }

  // MARK: Writing

  @inline(__always) package func append(_ byte: UInt8) {
    reserve(1)
    unsafe memory[length] = byte
    length += 1
  }

  /// Appends an integer, most significant byte first.
  @inline(__always) package func append<T: FixedWidthInteger>(bigEndian value: T) {
    let size = MemoryLayout<T>.size
    reserve(size)
    unsafe UnsafeMutableRawPointer(memory + length).storeBytes(of: value.bigEndian, as: T.self)
    length += size
  }

  /// Appends an integer, least significant byte first.
  @inline(__always) package func append<T: FixedWidthInteger>(littleEndian value: T) {
    let size = MemoryLayout<T>.size
    reserve(size)
    unsafe UnsafeMutableRawPointer(memory + length).storeBytes(of: value.littleEndian, as: T.self)
    length += size
  }

  package func append(zeros: Int) {
    reserve(zeros)
    unsafe (memory + length).update(repeating: 0, count: zeros)
    length += zeros
  }

  package func append(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    reserve(bytes.count)
    unsafe UnsafeMutableRawPointer(memory + length).copyMemory(from: base, byteCount: bytes.count)
    length += bytes.count
  }

  package func append(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe append($0) } }

  // MARK: CBOR items

  /// Appends a CBOR head: three bits of major type and the argument in its shortest form (RFC 8949, section 3).
  @inline(__always) func head(_ major: UInt8, _ argument: UInt64) {
    reserve(9)
    unsafe length += OutputBuffer.write(head: major, argument, to: memory + length)
  }

  @inline(__always) @unsafe private static func write(head major: UInt8, _ argument: UInt64, to place: UnsafeMutablePointer<UInt8>) -> Int {
    let type = major << 5
    if argument < 24 {
      unsafe place[0] = type | UInt8(truncatingIfNeeded: argument)
      return 1
    }
    let raw = UnsafeMutableRawPointer(place)
    if argument < 0x100 {
      unsafe place[0] = type | 24
      unsafe place[1] = UInt8(truncatingIfNeeded: argument)
      return 2
    }
    if argument < 0x1_0000 {
      unsafe place[0] = type | 25
      unsafe raw.storeBytes(of: UInt16(truncatingIfNeeded: argument).bigEndian, toByteOffset: 1, as: UInt16.self)
      return 3
    }
    if argument < 0x1_0000_0000 {
      unsafe place[0] = type | 26
      unsafe raw.storeBytes(of: UInt32(truncatingIfNeeded: argument).bigEndian, toByteOffset: 1, as: UInt32.self)
      return 5
    }
    unsafe place[0] = type | 27
    unsafe raw.storeBytes(of: argument.bigEndian, toByteOffset: 1, as: UInt64.self)
    return 9
  }

  @inline(__always) func signed(_ value: Int64) {
    if value >= 0 { head(0, UInt64(bitPattern: value)) } else { head(1, UInt64(bitPattern: ~value)) }
  }

  @inline(__always) func text(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      head(3, UInt64(utf8.count))
      unsafe append(UnsafeRawBufferPointer(utf8))
    }
  }

  func blob(_ bytes: [UInt8]) {
    head(2, UInt64(bytes.count))
    append(bytes)
  }

  func double(_ value: Double) {
    append(0xFB)
    append(bigEndian: value.bitPattern)
  }

  func float(_ value: Float) {
    append(0xFA)
    append(bigEndian: value.bitPattern)
  }

  /// Appends a column of integers: one capacity check for all of them.
  func integers<T: FixedWidthInteger>(_ values: [T]) {
    head(4, UInt64(values.count))
    reserve(values.count * 9)
    var place = unsafe memory + length
    for value in values {
      if value >= 0 {
        unsafe place += OutputBuffer.write(head: 0, UInt64(truncatingIfNeeded: value), to: place)
      } else {
        unsafe place += OutputBuffer.write(head: 1, UInt64(bitPattern: ~Int64(truncatingIfNeeded: value)), to: place)
      }
    }
    unsafe length = place - memory
  }

  // MARK: Reading back

  /// What was written, as an array.
  package var bytes: [UInt8] { unsafe [UInt8](UnsafeBufferPointer(start: memory, count: length)) }

  /// Lends what was written, without a copy.
  package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try unsafe body(UnsafeRawBufferPointer(start: memory, count: length))
  }

  /// Lends what was written for changes in place, such as a header over the room reserved for it.
  package func withUnsafeMutableBytes<R, E: Error>(_ body: (UnsafeMutableRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try unsafe body(UnsafeMutableRawBufferPointer(start: memory, count: length))
  }
}
