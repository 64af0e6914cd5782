import MinervaNavigation
import MinervaWire

/// Makes the input of a module from what a link gives it.
enum RouteInput {
  /// The object of a route's own input, the values of the link and the context that the route requires.
  ///
  /// Each value is what the module's schema says, where its text can be that; what it cannot be is left as text, so that the module's own
  /// check names it. A name that comes more than once, as a wildcard's, is an array. No bytes when there is nothing to give.
  static func bytes(for hop: Hop, context: JSONValue?, schema: PayloadSchema?) -> [UInt8] {
    var members: [(String, JSONValue)] = []
    if case .object(let object) = try? JSONValue(parsing: hop.route.input) { members = object.members.map { ($0.key, $0.value) } }
    func set(_ name: String, _ value: JSONValue) {
      members.removeAll { $0.0 == name }
      members.append((name, value))
    }
    var names: [String] = []
    for value in hop.values where !names.contains(value.name) { names.append(value.name) }
    for name in names {
      let texts = hop.values.filter { $0.name == name }.map(\.value)
      let shape = schema?.fields.first { $0.name == name }?.shape
      // A name that the module does not know only says which way the link goes.
      if let schema, schema.namesFields, shape == nil { continue }
      let isList = hop.route.pattern.segments.contains(.wildcard(name))
      set(name, isList ? .array(texts.map { value($0, element(of: shape)) }) : value(texts[0], shape))
    }
    if case .object(let given)? = context {
      for name in hop.route.context {
        // Some contexts only let a link pass.
        guard schema?.fields.contains(where: { $0.name == name }) ?? false, let value = given[name] else { continue }
        set(name, value)
      }
    }
    return members.isEmpty ? [] : JSONValue.object(JSONObject(members)).bytes
  }

  private static func element(of shape: PayloadShape?) -> PayloadShape? {
    switch shape {
    case .array(let element)?: element
    case .optional(let inner)?: element(of: inner)
    default: nil
    }
  }

  private static func value(_ text: String, _ shape: PayloadShape?) -> JSONValue {
    switch shape {
    case .optional(let inner)?, .secret(let inner)?: return value(text, inner)
    case .boolean? where text.isEmpty: return .bool(true)
    case .boolean?, .integer?, .number?:
      guard let parsed = try? JSONValue(parsing: text) else { return .string(text) }
      switch parsed {
      case .bool, .integer, .number: return parsed
      default: return .string(text)
      }
    case .oneOf(let values)?: return values.first { $0 == .string(text) || $0.text == text } ?? .string(text)
    default: return .string(text)
    }
  }
}
