import CZeroMQ
import Glibc
import MinervaProtocol
import MinervaWire

// Connections below the protocol. libzmq bounds neither their number nor the time of a peer that says nothing, and ends the process when the
// system has no descriptor left; it notices at once when one is shut down under it.
extension Transport {
  /// A socket of ours accepted a connection: one too many is hung up.
  func accepted(_ connection: Int32) {
    connections.insert(connection)
    // One that we dialled had the number and has ended; that is still to be heard of.
    dialled[connection] = nil
    if let received = Self.received(on: connection) {
      unfinished.begin(connection, received: received)
      loop.sweep(noLaterThan: loop.now + Self.closeInterval)
    }
    guard connections.count > connectionLimit else { return }
    counters.rejectedPeers += 1
    log.line("rejected", at: loop.now, "more than \(connectionLimit) connections; raise the limit of open files (ulimit -n)")
    hangUp(connection)
  }

  func ended(_ connection: Int32) {
    connections.remove(connection)
    letGo(unfinished.end(connection))
  }

  /// A link that we dialled has a connection: what comes in on it is looked at as well.
  func dialled(_ connection: Int32, _ channel: DealerChannel, on link: Link) {
    guard let received = Self.received(on: connection) else { return }
    unfinished.begin(connection, received: received)
    dialled[connection] = link
    loop.sweep(noLaterThan: loop.now + Self.closeInterval)
    channel.onClosed = { [unowned self] in
      // The number may be another connection's by now.
      guard self.dialled[connection] === link else { return }
      self.dialled[connection] = nil
      self.letGo(self.unfinished.end(connection))
    }
  }

  /// Ends a connection by its descriptor, which is libzmq's to close.
  ///
  /// Its own events are read before, so that it is not another's by now.
  func hangUp(_ connection: Int32) { if connections.contains(connection) { shutdown(connection, Int32(SHUT_RDWR)) } }

  // MARK: Messages without an end

  /// Milliseconds between two looks at what came in.
  private static let lookInterval: Int64 = 200
  /// The same while something is under way, or somebody is new: at a gigabyte a second much comes in between two looks.
  private static let closeInterval: Int64 = 50

  /// Hangs up connections over tcp that send and send and finish no message. Returns when to look again.
  ///
  /// Over ipc the system does not count; there the directory lets nobody in but the processes of its owner, and a silent link its time.
  func lookAtUnfinished(at now: Int64) -> Int64 {
    guard !unfinished.isEmpty else { return .max }
    let interval = unfinished.isUrgent ? Self.closeInterval : Self.lookInterval
    guard now >= lastLook + interval else { return lastLook + interval }
    for listener in listeners { for connection in listener.connections(heardSince: lastLook, at: now) { unfinished.finished(connection) } }
    for (connection, link) in dialled where link.isUp && link.machine.silence(at: now) <= now - lastLook { unfinished.finished(connection) }
    lastLook = now
    for connection in unfinished.look(Self.received) {
      let text = "a message whose last part never comes; the connection is hung up"
      if let link = dialled[connection] {
        malformed(text, from: link)
        violated(.badMessage("a message whose last part never comes"), on: link)
      } else {
        malformed(text, from: listeners.lazy.compactMap { $0.link(of: connection) }.first)
        hangUp(connection)
      }
    }
    return now + (unfinished.isUrgent ? Self.closeInterval : Self.lookInterval)
  }

  // MARK: Memory

  /// How much ended connections must have held that the system gets it back; and the milliseconds until it does, and between two times.
  private static let muchMemory: UInt64 = 8 << 20
  private static let returnDelay: Int64 = 500
  private static let returnInterval: Int64 = 5_000

  /// Ended connections let go of so much, or will in a moment.
  private func letGo(_ bytes: UInt64) {
    guard bytes > 0 else { return }
    freed += bytes
    guard freed >= Self.muchMemory, returnAt == .max else { return }
    returnAt = max(loop.now + Self.returnDelay, lastReturn + Self.returnInterval)
    loop.sweep(noLaterThan: returnAt)
  }

  /// Gives back to the system what ended connections held: the allocator would keep it, since it lies in pieces. Returns when to come again.
  ///
  /// Aside of the loop, since it takes milliseconds for each hundred megabytes.
  func returnMemory(at now: Int64) -> Int64 {
    guard now >= returnAt else { return returnAt }
    (freed, returnAt, lastReturn) = (0, .max, now)
    Task.detached { minerva_return_memory() }
    return .max
  }

  /// How many bytes have come in on a connection over tcp; nothing for any other.
  private static func received(on connection: Int32) -> UInt64? {
    // `tcpi_bytes_received` of the kernel's `struct tcp_info`, which Glibc's declaration is too old for.
    let offset = 128
    let end = offset + MemoryLayout<UInt64>.size
    return withUnsafeTemporaryAllocation(byteCount: end, alignment: 8) { info in
      var size = socklen_t(end)
      guard getsockopt(connection, Int32(IPPROTO_TCP), TCP_INFO, info.baseAddress, &size) == 0, size == end else { return nil }
      return info.load(fromByteOffset: offset, as: UInt64.self)
    }
  }
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
