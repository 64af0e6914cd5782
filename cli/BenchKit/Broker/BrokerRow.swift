/// The rows that `minerva bench broker` prints, one type a measurement; the names are those of its JSON.
enum BrokerRow {
  /// Journaled transitions between two processes.
  struct Transitions: Codable, Hashable, Sendable {
    var bench = "broker"
    var scenes: Int
    var inFlight: Int
    var hosted: Bool
    var durable: Bool
    var fileSystem: String
    var transitions: Int
    var transitionsPerSecond: Double
    var p50: Int
    var p99: Int
    var p999: Int
    /// Processor time of the broker in microseconds a transition, all its threads.
    var brokerMicroseconds: Double
    /// The same of the caller's process.
    var callerMicroseconds: Double
    /// Whether the trees were what the answers say.
    var verified: Bool

    enum CodingKeys: String, CodingKey {
      case bench, scenes, hosted, durable, transitions, verified
      case inFlight = "in_flight"
      case fileSystem = "file_system"
      case transitionsPerSecond = "transitions_per_s"
      case p50 = "p50_us"
      case p99 = "p99_us"
      case p999 = "p999_us"
      case brokerMicroseconds = "broker_cpu_us"
      case callerMicroseconds = "caller_cpu_us"
    }
  }

  /// The memory of open scenes.
  struct Memory: Codable, Hashable, Sendable {
    var bench = "broker-memory"
    var scenes: Int
    var screens: Int
    var inputBytes: Int
    var bytesPerScene: Double
    var durable: Bool
    var fileSystem: String
    var verified: Bool

    enum CodingKeys: String, CodingKey {
      case bench, scenes, screens, durable, verified
      case inputBytes = "input_bytes"
      case bytesPerScene = "bytes_per_scene"
      case fileSystem = "file_system"
    }
  }

  /// A start after a kill.
  struct Restart: Codable, Hashable, Sendable {
    var bench = "broker-restart"
    var scenes: Int
    var records: Int
    /// Records of the scene looked at that no snapshot covers.
    var unsaved: Int
    /// From the start of the process to the first answer.
    var firstAnswerMilliseconds: Int
    var durable: Bool
    var fileSystem: String
    var verified: Bool

    enum CodingKeys: String, CodingKey {
      case bench, scenes, records, unsaved, durable, verified
      case firstAnswerMilliseconds = "first_answer_ms"
      case fileSystem = "file_system"
    }
  }

  /// Events to many subscribers.
  struct Events: Codable, Hashable, Sendable {
    var bench = "broker-events"
    var subscribers: Int
    /// How many further ones do not read.
    var stopped: Int
    /// Events that every running subscriber took in, a second.
    var eventsPerSecond: Double
    var deliveriesPerSecond: Double
    /// Processor time of the broker in microseconds an event.
    var brokerMicroseconds: Double
    /// Events that a running subscriber missed.
    var missed: Int

    enum CodingKeys: String, CodingKey {
      case bench, subscribers, stopped, missed
      case eventsPerSecond = "events_per_s"
      case deliveriesPerSecond = "deliveries_per_s"
      case brokerMicroseconds = "broker_cpu_us"
    }
  }
}

/// A number for people and for JSON: so many decimals and no more.
enum Figure {
  static func rounded(_ value: Double, _ decimals: Int) -> Double {
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    return value.isFinite ? (value * scale).rounded() / scale : 0
  }

  static func text(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "-" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int64((value * scale).rounded())
    guard decimals > 0 else { return "\(scaled)" }
    let digits = String(abs(scaled) % Int64(scale))
    return "\(scaled < 0 ? "-" : "")\(abs(scaled) / Int64(scale)).\(String(repeating: "0", count: decimals - digits.count))\(digits)"
  }
}
