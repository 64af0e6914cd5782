/// Reading single items: every read is checked against the end, nothing is allocated for a length before the bytes are there.
extension CBORDecoder {
  @inline(__always) func fail(_ reason: CBORError.Reason) -> CBORError { CBORError(reason, at: position) }

  @inline(__always) func byte() throws -> UInt8 {
    guard position < end else { throw fail(.truncated) }
    defer { position += 1 }
    return unsafe bytes[position]
  }

  @inline(__always) func bigEndian<T: FixedWidthInteger>(_: T.Type) throws -> T {
    guard end - position >= MemoryLayout<T>.size else { throw fail(.truncated) }
    defer { position += MemoryLayout<T>.size }
    return T(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: position, as: T.self))
  }

  /// The argument of a head whose low five bits are given (RFC 8949, section 3).
  @inline(__always) func argument(_ low: UInt8) throws -> UInt64 {
    if low < 24 { return UInt64(low) }
    switch low {
    case 24: return UInt64(try byte())
    case 25: return UInt64(try bigEndian(UInt16.self))
    case 26: return UInt64(try bigEndian(UInt32.self))
    case 27: return try bigEndian(UInt64.self)
    default: throw fail(.wrongType(expected: "a definite length"))
    }
  }

  /// The contents of a string of the given major type, in place.
  @inline(__always) func span(_ major: UInt8, _ expected: StaticString) throws -> UnsafeRawBufferPointer {
    let start = position
    let head = try byte()
    guard head >> 5 == major else {
      position = start
      throw fail(.wrongType(expected: "\(expected)"))
    }
    let length = try argument(head & 31)
    guard length <= UInt64(end - position) else { throw fail(.truncated) }
    defer { position += Int(length) }
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[position..<position + Int(length)])
  }

  @inline(__always) func text() throws -> String {
    let utf8 = try unsafe span(3, "text")
    guard let text = unsafe String(utf8) else { throw fail(.invalidUTF8) }
    return text
  }

  func blob() throws -> [UInt8] {
    if position < end, unsafe bytes[position] == 0xD9 { return try payload() }
    return try unsafe [UInt8](span(2, "bytes"))
  }

  /// A byte string that travelled as a payload frame.
  @inline(never) private func payload() throws -> [UInt8] {
    let start = position
    position += 1
    guard try bigEndian(UInt16.self) == CBOR.frameTag else {
      position = start
      throw fail(.wrongType(expected: "bytes"))
    }
    let number = try integer(Int.self)
    guard number >= 0, number < min(64, unsafe payloads.count), taken & 1 << UInt64(number) == 0 else { throw fail(.outOfRange) }
    taken |= 1 << UInt64(number)
    return unsafe [UInt8](payloads[number])
  }

  @inline(__always) func integer<T: FixedWidthInteger>(_: T.Type) throws -> T {
    let start = position
    let head = try byte()
    guard head < 0x40 else {
      position = start
      throw fail(.wrongType(expected: "an integer"))
    }
    let argument = try argument(head & 31)
    if head < 0x20 {
      guard let value = T(exactly: argument) else { throw fail(.outOfRange) }
      return value
    }
    guard argument <= UInt64(Int64.max), let value = T(exactly: ~Int64(bitPattern: argument)) else { throw fail(.outOfRange) }
    return value
  }

  func bool() throws -> Bool {
    switch try byte() {
    case 0xF5: return true
    case 0xF4: return false
    default:
      position -= 1
      throw fail(.wrongType(expected: "a boolean"))
    }
  }

  func double() throws -> Double {
    switch try byte() {
    case 0xFB: return Double(bitPattern: try bigEndian(UInt64.self))
    case 0xFA: return Double(Float(bitPattern: try bigEndian(UInt32.self)))
    case 0xF9: return CBORDecoder.half(try bigEndian(UInt16.self))
    default:
      position -= 1
      guard let value = Double(exactly: try integer(Int64.self)) else { throw fail(.outOfRange) }
      return value
    }
  }

  /// Half precision (RFC 8949, appendix D).
  private static func half(_ bits: UInt16) -> Double {
    let exponent = Int(bits >> 10 & 0x1F)
    let fraction = Double(bits & 0x3FF)
    let magnitude =
      switch exponent {
      case 0: fraction * 0x1p-24
      case 31: fraction == 0 ? Double.infinity : Double.nan
      default: (fraction + 1024) * Double(sign: .plus, exponent: exponent - 25, significand: 1)
      }
    return bits & 0x8000 == 0 ? magnitude : -magnitude
  }

  /// Steps over a null, if one is there.
  @inline(__always) func null() throws -> Bool {
    guard position < end else { throw fail(.truncated) }
    guard unsafe bytes[position] == 0xF6 else { return false }
    position += 1
    return true
  }

  func column<Element>(_ element: (CBORDecoder) throws -> Element, reserving cap: Int) throws -> [Element] {
    let (_, count) = try open(major: 4, "an array")
    var values: [Element] = []
    if count >= 0 {
      values.reserveCapacity(min(count, cap))
      for _ in 0..<count { values.append(try element(self)) }
      return values
    }
    while true {
      guard position < end else { throw fail(.truncated) }
      if unsafe bytes[position] == 0xFF { break }
      values.append(try element(self))
    }
    position += 1
    return values
  }

  func integers<T: FixedWidthInteger>(_: T.Type) throws -> [T] { try column({ try $0.integer(T.self) }, reserving: .max) }

  /// Reads the head of an array or a map: where its items start and how many follow (pairs for a map), -1 for an indefinite length.
  func open(major: UInt8, _ expected: StaticString) throws -> (first: Int, count: Int) {
    let start = position
    let head = try byte()
    guard head >> 5 == major else {
      position = start
      throw fail(.wrongType(expected: "\(expected)"))
    }
    if head & 31 == 31 { return (position, -1) }
    let count = try argument(head & 31)
    // An item takes at least one byte, a pair two.
    guard count <= UInt64(end - position) / (major == 5 ? 2 : 1) else { throw fail(.truncated) }
    return (position, Int(count))
  }

  /// Steps over one item, whatever it is.
  func skip(levels: Int) throws {
    let head = try byte()
    let low = head & 31
    switch head >> 5 {
    case 0, 1: _ = try argument(low)
    case 2, 3:
      let length = try argument(low)
      guard length <= UInt64(end - position) else { throw fail(.truncated) }
      position += Int(length)
    case 4, 5:
      guard levels > 0 else { throw fail(.tooDeep) }
      if low == 31 {
        while true {
          guard position < end else { throw fail(.truncated) }
          if unsafe bytes[position] == 0xFF { break }
          try skip(levels: levels - 1)
        }
        position += 1
      } else {
        var left = try argument(low)
        guard left <= UInt64(end - position) else { throw fail(.truncated) }
        if head >> 5 == 5 { left *= 2 }
        while left > 0 {
          try skip(levels: levels - 1)
          left -= 1
        }
      }
    case 6:
      guard levels > 0 else { throw fail(.tooDeep) }
      _ = try argument(low)
      try skip(levels: levels - 1)
    default:
      switch low {
      case 0...23: break
      case 24: position += 1
      case 25: position += 2
      case 26: position += 4
      case 27: position += 8
      default: throw fail(.wrongType(expected: "a value"))
      }
      guard position <= end else { throw fail(.truncated) }
    }
  }
}
