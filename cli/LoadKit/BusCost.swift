import Glibc
import Minerva
import MinervaInterfaces
import Synchronization

/// What a diff costs through the bus, one at a time on idle workers, beside the engine here and the bytes' way over the link.
///
/// The lists are made ahead, a block of pairs at a time; then the workers compare the block, one job after the other, and this process does
/// the same. Blocks take turns, after the load; medians count.
package struct BusCost: Sendable {
  /// Microseconds from the question to the answer, lease included.
  package var bus: Int
  /// Microseconds of it until the lease was there.
  package var lease: Int
  /// Microseconds that the worker computed.
  package var worker: Int
  /// Microseconds of the engine in this process, columns to encoded change set.
  package var engine: Int
  /// Microseconds that as many bytes take one way over a link of libzmq in C; nil without `minerva-floor`.
  package var link: Int?
  /// The bytes of lists that a job sends.
  package var bytes: Int
  package var jobs: Int

  /// What is left of the bus's time without the link's, in engines: at most 1.5 is the goal for 10,000 identifiers.
  package var ratio: Double? {
    guard let link, engine > 0 else { return nil }
    return Double(bus - link) / Double(engine)
  }

  /// Measures it.
  static func measure(_ client: Client, _ settings: DiffLoad.Settings, floor: String, for time: Duration = .seconds(3)) async
    -> BusCost?
  {
    let differ = DiffClient(client)
    let list = settings.holds ? differ.list("cost") : nil
    var source = settings.lists(0)
    let clock = ContinuousClock()
    var bus: [Int] = []
    var columns = DiffLoad.Columns()
    var lease: [Int] = []
    var worker: [Int] = []
    var engine: [Int] = []
    var bytes = 0
    let begin = clock.now
    for block in 0..<17 {
      guard block < 2 || clock.now - begin < time else { break }
      let pairs = (0..<12).map { _ in
        let (old, new) = source.pair()
        return columns.next(old, new)
      }
      for (before, after) in pairs {
        let granted = Mutex(clock.now)
        var options = DiffOptions()
        options.leased = { _ in granted.withLock { $0 = clock.now } }
        let asked = clock.now
        let result =
          if let list { try? await list.changes(from: before, to: after, options) } else {
            try? await differ.changes(from: before, to: after, options)
          }
        guard let result else { return nil }
        // The first block warms up.
        guard block > 0 else { continue }
        bus.append(DiffLoad.microseconds(clock.now - asked))
        lease.append(DiffLoad.microseconds(granted.withLock { $0 } - asked))
        worker.append(result.microseconds)
        bytes = result.sentBytes
      }
      for (before, after) in pairs {
        let began = clock.now
        guard (try? before.encodedChanges(to: after)) != nil else { return nil }
        if block > 0 { engine.append(DiffLoad.microseconds(clock.now - began)) }
      }
    }
    guard !bus.isEmpty else { return nil }
    return BusCost(
      bus: middle(bus), lease: middle(lease), worker: middle(worker), engine: middle(engine), link: link(bytes, floor), bytes: bytes,
      jobs: bus.count)
  }

  private static func middle(_ values: [Int]) -> Int { values.sorted()[values.count / 2] }

  /// Half of the middle round trip of a C echo with messages of so many bytes, the best of three runs.
  private static func link(_ bytes: Int, _ floor: String) -> Int? {
    guard bytes > 0, access(floor, X_OK) == 0 else { return nil }
    let size = min(bytes, 64 << 20)
    let count = max(10, min(400, (400 << 20) / size))
    var best: Double?
    for round in 0..<3 {
      let endpoint = "ipc:///tmp/minerva-load-\(getpid())-\(round)"
      guard let output = popen("'\(floor)' --endpoint \(endpoint) --size \(size) --window 1 --count \(count) 2>&1", "r") else { return nil }
      var line = [CChar](repeating: 0, count: 512)
      var text = ""
      while fgets(&line, 512, output) != nil {
        text += String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
      pclose(output)
      for word in text.split(whereSeparator: \.isWhitespace) where word.hasPrefix("calls_per_s=") {
        if let rate = Double(word.dropFirst("calls_per_s=".count)), rate > 0 { best = max(best ?? 0, rate) }
      }
    }
    return best.map { Int(1e6 / $0 / 2 * Double(bytes) / Double(size)) }
  }
}
