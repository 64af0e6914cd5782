/// Who a process is: what `hello` and `welcome` carry.
public struct Introduction: Hashable, Sendable, Codable {
  /// The name by which others call it; unique among the live peers of a broker.
  public var node: String
  /// A random number drawn at start: two lives of one name differ.
  public var incarnation: UInt64
  /// `broker`, `host`, `worker`, `shell`, or what an app chose.
  public var kind: String
  public var pid: Int32
  /// The product version, for people.
  public var version: String
  public var capabilities: [String]
  public var limits: Limits
  /// How often it sends a sign of life when it has nothing else to say, in milliseconds.
  public var heartbeat: Int64
  /// Where others may dial it.
  public var listen: String?
  /// The role it asks for or was given: `observe`, `navigate`, `admin`.
  public var role: String?
  /// The public key with which it dials over tcp, in Z85. What a peer over tcp says of itself here counts for nothing: it has proved a key.
  public var key: String?

  public init(
    node: String, incarnation: UInt64, kind: String, pid: Int32, version: String, capabilities: [String] = [], limits: Limits = .standard,
    heartbeat: Int64 = 500, listen: String? = nil, role: String? = nil, key: String? = nil
  ) {
    self.node = node
    self.incarnation = incarnation
    self.kind = kind
    self.pid = pid
    self.version = version
    self.capabilities = capabilities
    self.limits = limits
    self.heartbeat = heartbeat
    self.listen = listen
    self.role = role
    self.key = key
  }
}

/// The first message of whoever dials.
package struct Hello: Hashable, Sendable, Codable {
  /// The oldest and the newest protocol version it speaks.
  package var oldest: UInt8
  package var newest: UInt8
  /// Which interfaces it was built with.
  package var api: APIVersion
  package var from: Introduction

  package init(oldest: UInt8 = Envelope.oldestVersion, newest: UInt8 = Envelope.version, api: APIVersion, from: Introduction) {
    self.oldest = oldest
    self.newest = newest
    self.api = api
    self.from = from
  }
}

/// The answer of whoever was dialled, when the two fit.
package struct Welcome: Hashable, Sendable, Codable {
  /// The protocol version both speak from now on.
  package var version: UInt8
  package var api: APIVersion
  package var from: Introduction

  package init(version: UInt8, api: APIVersion, from: Introduction) {
    self.version = version
    self.api = api
    self.from = from
  }
}

/// The answer of whoever was dialled, when the two do not fit; both versions are named.
package struct Reject: Hashable, Sendable, Codable {
  package var error: MinervaError
  package var oldest: UInt8
  package var newest: UInt8
  package var api: APIVersion

  package init(error: MinervaError, oldest: UInt8 = Envelope.oldestVersion, newest: UInt8 = Envelope.version, api: APIVersion) {
    self.error = error
    self.oldest = oldest
    self.newest = newest
    self.api = api
  }
}

extension Hello {
  /// The protocol version that both ends speak, or why there is none. An API that differs is refused with both named.
  package func agree(oldest ours: UInt8 = Envelope.oldestVersion, newest: UInt8 = Envelope.version, api: APIVersion) throws(MinervaError)
    -> UInt8
  {
    let common = min(newest, self.newest)
    guard common >= max(ours, oldest) else {
      throw MinervaError(
        .unsupported, "protocol \(oldest)-\(self.newest) of \(from.node) does not meet \(ours)-\(newest) here; bring both to one version")
    }
    guard self.api == api else {
      throw MinervaError(.unsupported, "\(from.node) was built with API \(self.api), this end with \(api); bring both to one version")
    }
    return common
  }
}
