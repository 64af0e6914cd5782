/// Whom a process that listens over tcp is to let in, as its broker vouches for them.
public struct AdmittedKeys: Codable, Hashable, Sendable {
  /// The keys of the broker's list and the broker's own, in the form of such a list: whoever is not among them any more is shut out. `nil` leaves
  /// them as they are.
  public var listed: String?
  /// Keys of processes that reach the broker through its own directory. They stay: such a key lives no longer than its process.
  public var guests: [String]

  public init(listed: String? = nil, guests: [String] = []) {
    self.listed = listed
    self.guests = guests
  }
}
