/// Judges a payload as typed: strict JSON or not, and where not.
enum PayloadCheck {
  struct Complaint {
    var message: String
    /// From 1, within the payload.
    var line: Int
    var column: Int
  }

  static func complaint(about text: String) -> Complaint? {
    nil
  }
}
