import MinervaSupervision
import MinervaTransport
import MinervaWire

/// What the command line of a host says: where its set runs, what it is called, how it reaches the broker.
struct HostArguments {
  var runtime: String?
  var name: String
  var connect: String?
  var key: String?
  var serverKey: String?
  var isInsecure = false
  var listen: String?
  var advertise: String?

  /// What is printed for `--help`.
  static func help(_ app: String) -> String {
    """
    Runs the coordinators of \(app).

      --runtime DIR        the directory of sockets, locks and logs (MINERVA_RUNTIME)
      --name NAME          the name of this process among its peers; \(app)-1 without it
      --connect ENDPOINT   the broker's endpoint; without it the one in the runtime directory (MINERVA_CONNECT)
      --key FILE           the file of this process's secret key, for tcp (MINERVA_KEY)
      --server-key KEY     the broker's public key, for tcp (MINERVA_SERVER_KEY)
      --insecure           tcp without keys, on loopback alone
      --listen ENDPOINT    takes calls at tcp://HOST:PORT instead of a socket in the runtime directory; needs --key
      --advertise ENDPOINT where others reach it, when not where it listens
      --help
    """
  }

  /// Reads arguments; options go before the environment.
  /// - Throws: `usage` with the word that is not understood.
  init(_ arguments: [String], app: String, environment: (String) -> String? = RuntimeDirectory.variable) throws(MinervaError) {
    name = "\(app)-1"
    runtime = nil
    connect = environment("MINERVA_CONNECT")
    key = environment("MINERVA_KEY")
    serverKey = environment("MINERVA_SERVER_KEY")
    var words = arguments[...]
    while let word = words.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      func value() throws(MinervaError) -> String {
        if parts.count == 2 { return parts[1] }
        guard let next = words.popFirst() else { throw MinervaError("usage", "\(word) needs a value; try --help") }
        return next
      }
      switch parts.first {
      case "--runtime": runtime = try value()
      case "--name": name = try value()
      case "--connect": connect = try value()
      case "--key": key = try value()
      case "--server-key": serverKey = try value()
      case "--insecure": isInsecure = true
      case "--listen": listen = try value()
      case "--advertise": advertise = try value()
      default: throw MinervaError("usage", "\(word) is not understood; try --help")
      }
    }
    guard (1...64).contains(name.utf8.count), !name.utf8.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "/") || $0 == 0x7F }) else {
      throw MinervaError("usage", "a process's name has 1 to 64 bytes without spaces and slashes")
    }
  }

  /// How the host proves itself over tcp.
  func security() throws(MinervaError) -> BusSecurity {
    var security = BusSecurity(allowsInsecureLoopback: isInsecure)
    if let key { security.keys = try CurveKeyPair(file: key) }
    security.server = serverKey
    return security
  }

  /// Where the host takes calls over tcp, when it does.
  func listening() throws(MinervaError) -> Listening? {
    if let listen { return try Listening(tcp: listen, advertise: advertise, try security()) }
    guard advertise == nil else { throw MinervaError("usage", "--advertise says where others reach what --listen opens; give both") }
    return nil
  }

  /// An endpoint as it was written.
  static func endpoint(_ text: String) throws(MinervaError) -> Endpoint {
    do throws(EndpointError) { return try Endpoint(text) } catch { throw MinervaError(.endpointInvalid, error.description) }
  }
}
