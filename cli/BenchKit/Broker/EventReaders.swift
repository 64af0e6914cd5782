import Glibc
import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaSupervision
import MinervaTransport
import MinervaWire
import Synchronization

/// Subscribers of one scene in a process of their own: each has a socket, and all together say how far they are.
enum EventReaders {
  /// What one line of the report says: every reader has this event, and so many were missed by all of them.
  struct Report: Hashable, Sendable {
    var all: UInt64 = 0
    var missed = 0

    init() {}

    /// Reads `EVENT MISSED`; nil for anything else.
    init?(_ line: Substring) {
      let words = line.split(separator: " ")
      guard words.count == 2, let all = UInt64(words[0]), let missed = Int(words[1]) else { return nil }
      self.all = all
      self.missed = missed
    }

    var line: String { "\(all) \(missed)\n" }
  }

  /// How far each reader is.
  struct Progress: Sendable {
    private var numbers: [UInt64]
    private var missed = 0
    private var told: UInt64 = 0

    init(readers: Int) { numbers = Array(repeating: 0, count: readers) }

    /// Takes an event in; a report when all readers are at the same one again.
    mutating func take(_ number: UInt64, reader: Int) -> Report? {
      let last = numbers[reader]
      // The first one is where a reader begins.
      if last > 0, number > last + 1 { missed += Int(number - last - 1) }
      numbers[reader] = max(last, number)
      guard number > told, numbers.allSatisfy({ $0 == number }) else { return nil }
      told = number
      var report = Report()
      (report.all, report.missed) = (number, missed)
      return report
    }
  }

  /// Where readers write how far they are.
  private final class Board: Sendable {
    private let descriptor: Int32
    private let progress: Mutex<Progress>

    init(_ path: String, readers: Int) throws(MinervaError) {
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw MinervaError(.runtimeFile, "cannot write to \(path)") }
      progress = Mutex(Progress(readers: readers))
    }

    deinit { close(descriptor) }

    func take(_ number: UInt64, reader: Int) {
      // Written under the lock: a later report must not overtake an earlier one.
      progress.withLock { progress in
        guard let line = progress.take(number, reader: reader)?.line else { return }
        let bytes = Array(line.utf8)
        _ = write(descriptor, bytes, bytes.count)
      }
    }
  }

  /// Reads until the process is asked to end.
  static func serve(_ endpoint: Endpoint, scene: String, readers: Int, report path: String, until ending: @Sendable () async -> Void)
    async throws
  {
    let client = try await Client.connect(to: endpoint, name: "readers", patience: .seconds(20))
    guard let events = try await client.status().events.compactMap({ try? Endpoint($0) }).first else {
      throw MinervaError(.unsupported, "the broker publishes no events")
    }
    let board = try Board(path, readers: readers)
    var tasks: [Task<Void, Never>] = []
    for reader in 0..<readers {
      let frames = try await client.bus.subscribe(to: events, topics: [SceneEvent.topic(of: scene)], buffer: 65_536)
      tasks.append(Task { for await frame in frames { board.take(frame.number, reader: reader) } })
    }
    await ending()
    for task in tasks { task.cancel() }
    await client.close(grace: .zero)
  }
}

/// The bench's end of what readers report: a pipe with a name.
final class ReaderReport: Sendable {
  let path: String
  private let descriptor: Int32
  private let state = Mutex(EventReaders.Report())

  init(in runtime: RuntimeDirectory, name: String = "readers") throws(MinervaError) {
    path = "\(runtime.path)/\(name).report"
    // Open for both ends, so that neither side waits for the other.
    guard mkfifo(path, 0o600) == 0 else { throw MinervaError(.runtimeFile, "cannot make the pipe \(path)") }
    descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw MinervaError(.runtimeFile, "cannot open the pipe \(path)") }
  }

  func close() { Glibc.close(descriptor) }

  /// What was reported last. Lines that came since the last look are read here: nobody waits for them.
  var latest: EventReaders.Report {
    state.withLock { report in
      var text: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(descriptor, &piece, piece.count)
        guard count > 0 else { break }
        text += piece[..<count]
      }
      // A line is written whole, since it is shorter than a pipe's atom.
      for line in String(decoding: text, as: UTF8.self).split(separator: "\n") { report = EventReaders.Report(line) ?? report }
      return report
    }
  }
}
