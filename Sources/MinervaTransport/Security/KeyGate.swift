import CZeroMQ

/// Answers libzmq's question whether a key may connect (ZAP, ZeroMQ RFC 27). Loop thread only.
///
/// Without a handler libzmq accepts every key, so the gate is bound before any tcp socket and the sockets enforce its domain.
final class KeyGate: EventSource {
  /// The domain of the sockets for calls, and of the event socket, which cannot tell scenes apart.
  static let calls = "calls"
  static let events = "events"

  var authorized: AuthorizedKeys
  /// Called for each refused key.
  var onRefusal: ((String) -> Void)?
  var isReady = true
  var descriptor: Int32 { socket.descriptor }
  var needsDrain: Bool { socket.isTouched && socket.isReadable }

  private let socket: ZeroMQSocket

  init(authorized: AuthorizedKeys, in context: ZeroMQContext) throws(ZeroMQFailure) {
    self.authorized = authorized
    socket = try ZeroMQSocket(.reply, in: context)
    try socket.bind("inproc://zeromq.zap.01")
  }

  func close() { socket.close() }

  func drain(budget: Int) -> Bool {
    var taken = 0
    while taken < budget, let request = receive() {
      taken += 1
      answer(request)
    }
    return taken == budget
  }

  private func receive() -> [Frame]? {
    guard let first = socket.receive() else { return nil }
    var frames = [first]
    while frames.last?.hasMore == true, let next = socket.receive() { frames.append(next) }
    return frames
  }

  /// Version, request id, domain, address, identity, mechanism, credentials.
  private func answer(_ request: [Frame]) {
    let identifier = request.count > 1 ? Array(request[1].bytes) : []
    func text(_ index: Int) -> String { index < request.count ? String(decoding: request[index].bytes, as: UTF8.self) : "" }
    let key = request.count > 6 && text(5) == "CURVE" ? CurveKeyPair.z85(request[6].bytes) : nil
    let grant = key.flatMap { authorized[$0] }
    let mayPass = text(0) == "1.0" && grant != nil && (text(2) == Self.calls || grant?.isUnrestricted == true)
    if !mayPass { onRefusal?(key ?? "no key") }
    let answer: [[UInt8]] = [
      Array("1.0".utf8), identifier, Array((mayPass ? "200" : "400").utf8), Array((mayPass ? "OK" : "the key is not authorized").utf8),
      Array((mayPass ? key ?? "" : "").utf8), [],
    ]
    for (index, part) in answer.enumerated() {
      _ = part.withUnsafeBytes { socket.send($0, more: index < answer.count - 1) }
    }
  }
}
