package import MinervaNavigation
package import MinervaWire

extension MinervaError {
  /// A refusal of the core, as callers get it.
  package init(_ refusal: Refusal, seq: UInt64? = nil) {
    var details: [String: String] = [:]
    for detail in refusal.details { details[detail.name] = detail.value }
    if let seq { details["seq"] = String(seq) }
    self.init(Code(refusal.code), refusal.message, details: details)
  }
}

extension Refusal {
  /// An error of a host or of the registry, as the core records it.
  package init(_ error: MinervaError) {
    self.init(
      code: error.code.rawValue, message: error.message,
      details: error.details.sorted { $0.key < $1.key }.map { Detail(name: $0.key, value: $0.value) })
  }
}
