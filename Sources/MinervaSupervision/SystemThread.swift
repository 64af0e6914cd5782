internal import CPosix
internal import Glibc

/// Threads for blocking calls, which have no place in the cooperative pool.
package enum SystemThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a detached thread; false when the system has none to give.
  package static func start(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return false }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Fifteen bytes are what the kernel keeps of a name.
    let short = String(name.prefix(15))
    let named = Body {
      cposix_name_thread(short)
      body()
    }
    let box = Unmanaged.passRetained(named)
    var thread = pthread_t()
    let failure = pthread_create(
      &thread, &attributes,
      { argument in
        if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    guard failure == 0 else {
      box.release()
      return false
    }
    return true
  }
}
