/// Finds the shape of a type by letting it decode itself from nothing, and writing down what it asks for.
///
/// Sees structs, optionals, arrays, dictionaries, nesting, recursion, secrets and enums of raw values; of a custom decoder what it asks for, and
/// from the value that it makes whether its type keeps more secrets than that (P4): such a type is secret as a whole. A type of which nobody can
/// say what it may keep (an enum with associated values, one that refuses every value it is given) is opaque unless it is ``PayloadDescribing``.
struct SchemaRecorder {
  /// The object types around the present one.
  private var outer: [ObjectIdentifier] = []
  private var sample = Sample()
  private let memory: Memory

  private init(_ memory: Memory) { self.memory = memory }

  /// The shape of a type.
  static func shape(of type: any Any.Type) -> PayloadShape { SchemaRecorder(Memory()).shape(of: type) }

  func shape(of type: any Any.Type) -> PayloadShape { record(type).shape }

  /// The shape and a value that lets the type around it go on; none where there is no such value.
  func record(_ type: any Any.Type) -> (shape: PayloadShape, value: Any?) {
    switch type {
    case let hint as any PayloadDescribing.Type: return (hint.payloadShape, SchemaRecorder.example(of: type, hint.payloadExample))
    case is Bool.Type: return (.boolean, false)
    case is String.Type: return (.string, sample.text)
    case is Double.Type: return (.number, Double(sample.number))
    case is Float.Type: return (.number, Float(sample.number))
    case let integer as any FixedWidthInteger.Type: return SchemaRecorder.integer(integer, sample.number)
    case let optional as any PayloadOptional.Type:
      let none: Any? = Optional<Any>.none
      return (.optional(shape(of: optional.wrapped)), none as Any)
    case let secret as any SecretField.Type:
      let (content, value) = record(secret.content)
      return (.secret(content), value.flatMap { secret.holding($0) })
    case let sequence as any PayloadSequence.Type: return (.array(shape(of: sequence.element)), sequence.empty)
    case let dictionary as any PayloadDictionary.Type: return (.dictionary(shape(of: dictionary.element)), dictionary.empty)
    case let decodable as any Decodable.Type: return recordDecodable(decodable)
    default: return (.opaque("\(type)"), nil)
    }
  }

  /// How many elements a type that reads elements one by one finds.
  var elements: Int { sample.elements }

  private static func integer<T: FixedWidthInteger>(_: T.Type, _ number: Int) -> (PayloadShape, Any?) {
    (.integer(min: Int64(clamping: T.min), max: UInt64(clamping: T.max)), T(clamping: number))
  }

  private func recordDecodable<T: Decodable>(_ type: T.Type) -> (shape: PayloadShape, value: Any?) {
    if let cases = PayloadShape.cases(of: type) { return (.oneOf(cases), SchemaRecorder.firstCase(type)) }
    let name = "\(type)"
    guard !outer.contains(ObjectIdentifier(type)) else { return (.reference(name), nil) }
    var inner = self
    inner.outer.append(ObjectIdentifier(type))
    var (value, log): (T?, Log) = (nil, Log())
    for sample in Sample.all where value == nil {
      inner.sample = sample
      (value, log) = inner.attempt(type)
      guard log.isRefusal else { break }
    }
    // A single byte keeps no word: of an enum that names its cases in its own way no more than that is to be known.
    if value == nil, log.met == .plain { value = SchemaRecorder.least(type) }
    // Half a schema would refuse or redact half: what could not be recorded to its end is opaque.
    guard let value else { return (log.met == .secret ? .secret(.opaque(name)) : .opaque(name), nil) }
    let shape: PayloadShape =
      switch log.finding {
      case .nothing: .object(name: name, [])
      case .single(let found): found
      case .object(let fields): .object(name: name, fields)
      case .unclear: .any
      }
    return (inner.judged(shape, named: name, log, by: value), value)
  }

  /// Lets a type decode itself once.
  private func attempt<T: Decodable>(_ type: T.Type) -> (value: T?, log: Log) {
    let log = Log()
    do {
      return (try T(from: RecordingDecoder(recorder: self, log: log)), log)
    } catch {
      log.isRefusal = !(error is Stop)
      return (nil, log)
    }
  }

  /// A value of a type that says its shape, made from JSON that it says it reads.
  private static func example(of type: any Any.Type, _ example: JSONValue) -> Any? {
    func decode<T: Decodable>(_ type: T.Type) -> Any? { try? JSONValueDecoder().decode(type, from: example) }
    return (type as? any Decodable.Type).flatMap { decode($0) }
  }

  private static func firstCase<T>(_ type: T.Type) -> Any? {
    func first<E: CaseIterable>(_: E.Type) -> Any? { E.allCases.first }
    return (type as? any CaseIterable.Type).flatMap { first($0) }
  }

  /// The value of a type of a single byte whose byte is zero: the first case of an enum.
  private static func least<T>(_ type: T.Type) -> T? {
    MemoryLayout<T>.size == 1 ? unsafe unsafeBitCast(UInt8(0), to: type) : nil
  }

  /// Ends a recording.
  struct Stop: Error {}
}

// MARK: - Samples

extension SchemaRecorder {
  /// What a type reads while it is recorded. Those behind the first are for types that refuse what is empty: identifiers, moments, addresses.
  struct Sample {
    var text = ""
    var number = 0
    var elements = 1

    static let all = [
      Sample(), Sample(text: "00000000-0000-0000-0000-000000000000", number: 1, elements: 2),
      Sample(text: "2000-01-01T00:00:00Z", number: 2, elements: 2), Sample(text: "1", number: 10, elements: 3),
      Sample(text: "https://example.org/", number: 100), Sample(text: "a@example.org", number: 1000), Sample(text: "#000000", number: -1),
    ]
  }
}

// MARK: - What a value keeps

extension SchemaRecorder {
  /// What is known of types that are kept, so that each is looked at once; of one that is being looked at nothing is held against it.
  final class Memory {
    var secrecy: [ObjectIdentifier: PayloadSecrecy] = [:]
  }

  /// The shape of a type that keeps no more than it has asked for; of another that it is secret, or cannot be seen through. Linear in the parts
  /// of the value.
  private func judged<T>(_ shape: PayloadShape, named name: String, _ log: Log, by value: T) -> PayloadShape {
    var kept: [PayloadSecrecy] = []
    if !SchemaRecorder.isOfLibrary(T.self) {
      var mirror: Mirror? = Mirror(reflecting: value)
      if SchemaRecorder.mayBeAnotherCase(mirror, T.self) { kept.append(.unknown) }
      while let level = mirror {
        kept += level.children.map { secrecy(ofKept: $0.value, depth: 8) }
        mirror = level.superclassMirror
      }
    }
    let asked = if case .object(_, let fields) = shape { fields.map(\.shape.secrecy) } else { [shape.secrecy] }
    func keepsMore(_ least: PayloadSecrecy) -> Bool {
      kept.count { $0 >= least } > asked.count { $0 >= least } || (log.met >= least && shape.secrecy < least)
    }
    return keepsMore(.secret) ? .secret(shape) : keepsMore(.unknown) ? .opaque(name) : shape
  }

  private func secrecy(ofKept value: Any, depth: Int) -> PayloadSecrecy {
    let type = Swift.type(of: value)
    if type is any SecretField.Type { return .secret }
    let id = ObjectIdentifier(type)
    if let known = memory.secrecy[id] { return known }
    if type is any Decodable.Type || type is any PayloadDescribing.Type {
      memory.secrecy[id] = .plain
      let found = SchemaRecorder(memory).shape(of: type).secrecy
      memory.secrecy[id] = found
      return found
    }
    guard depth > 0, !SchemaRecorder.isOfLibrary(type) || type is any PayloadOptional.Type || type is any PayloadSequence.Type else {
      return .plain
    }
    let mirror = Mirror(reflecting: value)
    if SchemaRecorder.mayBeAnotherCase(mirror, type) { return .unknown }
    return mirror.children.lazy.map { secrecy(ofKept: $0.value, depth: depth - 1) }.max() ?? .plain
  }

  /// Whether a value is a case of an enum whose other cases may keep anything.
  private static func mayBeAnotherCase<T>(_ mirror: Mirror?, _ type: T.Type) -> Bool {
    mirror?.displayStyle == .enum && MemoryLayout<T>.size > 1
  }

  /// Whether a type is the standard library's or Foundation's: those keep what they ask for.
  private static func isOfLibrary(_ type: any Any.Type) -> Bool {
    let name = String(reflecting: type)
    return name.hasPrefix("Swift.") || name.hasPrefix("Foundation.") || name.hasPrefix("FoundationEssentials.")
  }
}

/// What is known of secrets in a part of a payload.
enum PayloadSecrecy: Comparable {
  case plain, unknown, secret
}

extension PayloadShape {
  var secrecy: PayloadSecrecy { holdsSecrets ? .secret : mayHoldSecrets ? .unknown : .plain }
}
