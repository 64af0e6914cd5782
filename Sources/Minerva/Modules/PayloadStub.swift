import Foundation
struct JSONValueEncoder {
  func encode(_ v: some Encodable) throws -> Box { Box(utf8Bytes: Array(try JSONEncoder().encode(v))) };
  struct Box { var utf8Bytes: [UInt8] }
}
struct JSONValueDecoder {
  func decode<T: Decodable>(_ t: T.Type, from b: [UInt8]) throws -> T { try JSONDecoder().decode(t, from: Data(b)) }
}
