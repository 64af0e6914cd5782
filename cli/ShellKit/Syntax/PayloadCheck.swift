import MinervaWire

/// Judges a payload as typed, by the reader that hosts use too: strict JSON, no repeated keys, 64 levels (E01, E02).
enum PayloadCheck {
  struct Complaint {
    var message: String
    /// From 1, within the payload.
    var line: Int
    var column: Int
  }

  static func complaint(about text: String) -> Complaint? {
    do throws(JSONError) {
      _ = try JSONValue(parsing: text)
      return nil
    } catch {
      // The place is told as one of the whole line instead.
      let path = error.path.description
      return Complaint(
        message: path.isEmpty ? error.expectation : "\(path): \(error.expectation)", line: error.place?.line ?? 1,
        column: error.place?.column ?? 1)
    }
  }
}
