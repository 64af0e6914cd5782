/// A worker's word to the broker: where it listens, and how many jobs it wants now.
public struct DiffOffer: Codable, Sendable {
  /// The worker's node name.
  public var worker: String
  public var endpoint: String
  /// How many jobs it can take at the same time, those under way included.
  public var credit: Int
  /// The public key it has at its endpoint, over tcp.
  public var key: String?

  public init(worker: String, endpoint: String, credit: Int, key: String? = nil) {
    self.worker = worker
    self.endpoint = endpoint
    self.credit = credit
    self.key = key
  }
}
