import MinervaWire

/// Reads one JSON object a line.
///
/// A string identifier counts by its text, any other value by its JSON; the content of a row is the JSON of its parts.
struct ObjectReader {
  private let text: TextLines
  private let format: ListFormat

  init(_ text: TextLines, _ format: ListFormat) {
    self.text = text
    self.format = format
  }

  func read(into columns: inout ListColumns) throws(MinervaError) {
    let taken = [format.id?.key, format.section?.key]
    let contents = format.contents.compactMap(\.key)
    try text.forEach { (line, start, end) throws(MinervaError) in
      if line == 1, format.hasHeader { return }
      let object = try object(line, start, end)
      if let section = format.section?.key { columns.enterSection(try bytes(of: section, in: object, line)) }
      columns.addID(try bytes(of: format.id?.key ?? "", in: object, line))
      if contents.isEmpty {
        for member in object.members where !taken.contains(member.key) {
          columns.addContent(Array(JSONValue.string(member.key).text.utf8)[...], separator: 0x3A)
          columns.addContent(Array(member.value.text.utf8)[...], separator: 0x0A)
        }
      } else {
        // A key that is not there differs from a null.
        for key in contents { columns.addContent(Array((object[key]?.text ?? "").utf8)[...], separator: 0x0A) }
      }
      columns.endRow()
    }
  }

  private func object(_ line: Int, _ start: Int, _ end: Int) throws(MinervaError) -> JSONObject {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: Array(text.bytes[start..<end])) } catch {
      var error = error
      let column = error.place?.column
      error.place = nil
      let place = column.map { ", column \($0)" } ?? ""
      let path = error.path.description
      let words = error.found == nil ? error.expectation : error.description
      throw MinervaError(
        .parseJSONLine, "\(text.path): line \(line)\(place): \(path.isEmpty || error.found != nil ? "" : path + ": ")\(words)")
    }
    guard case .object(let object) = value else {
      throw MinervaError(.parseJSONLine, "\(text.path): line \(line): expected an object, found \(value.summary)")
    }
    return object
  }

  private func bytes(of key: String, in object: JSONObject, _ line: Int) throws(MinervaError) -> ArraySlice<UInt8> {
    guard let value = object[key] else {
      throw MinervaError(.parseJSONLine, "\(text.path): line \(line) has no key \"\(key)\"")
    }
    if case .string(let string) = value { return Array(string.utf8)[...] }
    return Array(value.text.utf8)[...]
  }
}
