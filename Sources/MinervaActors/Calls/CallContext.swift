import Glibc
import MinervaTransport

/// What the code of a served call can know about it: who called, and until when an answer is of use.
final class CallContext: Sendable {
  let caller: PeerIdentity
  /// In monotonic milliseconds.
  let deadline: Int64

  init(caller: PeerIdentity, deadline: Int64) {
    self.caller = caller
    self.deadline = deadline
  }

  /// The call that the current task serves.
  @TaskLocal static var current: CallContext?
}

/// The caller of a call that runs on the direct path, where there is no task to carry it.
enum DirectCaller {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  static var current: PeerIdentity? {
    pthread_getspecific(key).map { Unmanaged<PeerIdentity>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Sets the caller for the time of one synchronous call on this thread.
  @inline(__always) static func during<R>(_ caller: PeerIdentity, _ body: () throws -> R) rethrows -> R {
    pthread_setspecific(key, Unmanaged.passUnretained(caller).toOpaque())
    defer { pthread_setspecific(key, nil) }
    return try body()
  }
}
