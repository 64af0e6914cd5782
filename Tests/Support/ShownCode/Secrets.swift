import Minerva

enum Choice: Codable, Sendable {
  case one(Int)
  case two
}

extension Choice: PayloadDescribing {
  static var payloadShape: PayloadShape { .any }  // holds no secret
  static var payloadExample: JSONValue { ["two": [:]] }
}
