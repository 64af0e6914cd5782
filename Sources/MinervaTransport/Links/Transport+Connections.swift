import Glibc

// Connections below the protocol. libzmq bounds neither their number nor the time of a peer that says nothing, and ends the process when the
// system has no descriptor left; it notices at once when one is shut down under it.
extension Transport {
  /// A socket of ours accepted a connection: one too many is hung up.
  func accepted(_ connection: Int32) {
    connections.insert(connection)
    guard connections.count > connectionLimit else { return }
    counters.rejectedPeers += 1
    log.line("rejected", at: loop.now, "more than \(connectionLimit) connections; raise the limit of open files (ulimit -n)")
    hangUp(connection)
  }

  func ended(_ connection: Int32) { connections.remove(connection) }

  /// Ends a connection by its descriptor, which is libzmq's to close.
  ///
  /// Its own events are read before, so that it is not another's by now.
  func hangUp(_ connection: Int32) { if connections.contains(connection) { shutdown(connection, Int32(SHUT_RDWR)) } }
}

/// How many files the process may have open.
package enum DescriptorLimit {
  /// Raises it as far as the process may.
  package static func raise() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// How many connections may be open, so that as many descriptors are left for all else.
  static var connections: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 256 }
    return Int(min(8_192, limit.rlim_cur / 2))
  }
}
