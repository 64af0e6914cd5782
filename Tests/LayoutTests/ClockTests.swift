import Testing

/// A wall clock jumps; nothing that decides whether a peer lives, a call is late or an attempt is due may look at one (C07).
@Suite("Wall clocks decide nothing")
struct ClockTests {
  /// Everything between a call and its answer, and everything that starts, watches and restarts a process.
  static let places = [
    "Sources/MinervaWire", "Sources/MinervaProtocol", "Sources/MinervaTransport", "Sources/MinervaActors", "Sources/MinervaNavigation",
    "Sources/MinervaInterfaces", "Sources/MinervaBroker", "Sources/MinervaBrokerCore", "Sources/MinervaHosting", "Sources/Minerva",
    "Sources/MinervaJournal",
    "Sources/MinervaSupervision", "Services", "cli/SetKit",
  ]
  /// Ways to read the time of day.
  static let marks = [
    "CLOCK_REALTIME", "gettimeofday", "Date()", "Date.now", "Date(timeIntervalSince", "CFAbsoluteTime", "DispatchWallTime", "wallDeadline",
    "time(nil)", "timespec_get", "localtime", "gmtime",
  ]
  /// Where it is read, for display; who asks is the other test's.
  static let allowed: Set<String> = ["Sources/MinervaSupervision/MonotonicTime.swift"]

  @Test("No source of the bus, the broker, the hosts or the supervisor reads a wall clock (C07)", arguments: places)
  func noWallClock(place: String) throws {
    let sources = Repository.sources(below: place)
    try #require(!sources.isEmpty)
    for source in sources where !Self.allowed.contains(source.path) {
      for (number, line) in source.lines.enumerated() {
        let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        for mark in Self.marks { #expect(!code.contains(mark), "\(source.path):\(number + 1) reads \(mark)") }
      }
    }
  }

  @Test("The wall clock is asked for stamps, ages of records and a new epoch, and nowhere else (C07)")
  func wallClockIsAskedForStampsAlone() {
    let stamps: Set<String> = [
      "MonotonicTime.swift", "ProcessSupervisor.swift", "JournalRecovery.swift", "SQLiteJournal.swift", "SQLiteWriter.swift",
      "SQLiteJournal+Settings.swift",
    ]
    for source in Self.places.flatMap(Repository.sources) {
      guard source.text.contains("wallMilliseconds") || source.text.contains("wallClock") else { continue }
      let name = source.path.split(separator: "/").last.map(String.init) ?? ""
      #expect(stamps.contains(name), "\(source.path) asks the wall clock")
    }
  }
}
