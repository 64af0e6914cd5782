internal import CPosix
internal import MinervaWire

extension MinervaError {
  /// An error with the system's own words for an error number behind ours.
  init(_ code: Code, _ message: String, errno number: Int32) {
    let words = cposix_error_text(number).map { String(cString: $0) } ?? "error \(number)"
    self.init(code, "\(message) (\(words))")
  }
}
