import CommandKit
import Glibc
package import MinervaSupervision
import MinervaWire

/// Logs of processes as one story: what each wrote, by time.
package struct LogText: Sendable {
  /// A line and whose it is.
  package struct Entry: Sendable, Hashable {
    package var process: String
    package var line: ProcessLog.Line

    package init(process: String, line: ProcessLog.Line) {
      self.process = process
      self.line = line
    }
  }

  private let column: Int
  private let isJSON: Bool
  private let showsDates: Bool

  /// - Parameters:
  ///   - names: The processes, whose names share a column.
  ///   - oldest: The first line's time; from another day than today, dates are shown.
  package init(names: [String], oldest: String?, isJSON: Bool) {
    column = names.map(DisplayWidth.of).max() ?? 0
    self.isJSON = isJSON
    showsDates = oldest.map { Self.local($0).date != Self.local(ProcessLog.stamp).date } ?? false
  }

  /// The last lines of a log; of a crash report that they begin within, its head as well: what the process died of.
  package static func tail(_ lines: [ProcessLog.Line], _ count: Int) -> [ProcessLog.Line] {
    let tail = lines.suffix(count)
    guard let first = tail.first, first.time == nil else { return Array(tail) }
    let before = lines[..<tail.startIndex]
    let report = before[((before.lastIndex { $0.time != nil } ?? before.startIndex - 1) + 1)...]
    guard let start = report.firstIndex(where: \.isCrash) else { return Array(tail) }
    let head = report[start...].filter(\.isCrash)
    let left = report[start...].count - head.count
    let note = ProcessLog.Line(time: nil, text: "… \(left) lines of its report; --lines shows more")
    return head + (left > 0 ? [note] : []) + tail
  }

  /// Puts the lines of several logs in the order of their times; one without a time stands where its log has it.
  package static func merged(_ logs: [(process: String, lines: [ProcessLog.Line])]) -> [Entry] {
    var keyed: [(key: String, log: Int, entry: Entry)] = []
    for (number, log) in logs.enumerated() {
      // A line without a time belongs to the next that has one: the last words of a process to what the supervisor says of its end.
      var keys: [String] = []
      var next = log.lines.last { $0.time != nil }?.time ?? ""
      for line in log.lines.reversed() {
        next = line.time ?? next
        keys.append(next)
      }
      var latest = ""
      for (line, key) in zip(log.lines, keys.reversed()) {
        // Within a log the order is that of writing, whatever the clock does.
        latest = max(latest, key)
        keyed.append((latest, number, Entry(process: log.process, line: line)))
      }
    }
    let order = keyed.indices.sorted { left, right in
      (keyed[left].key, keyed[left].log, left) < (keyed[right].key, keyed[right].log, right)
    }
    return order.map { keyed[$0].entry }
  }

  /// One line as people or programs read it.
  package func text(_ entry: Entry) -> String {
    let line = entry.line
    if isJSON {
      return JSONLine([("process", .text(entry.process)), ("time", line.time.map { .text($0) } ?? .null), ("line", .text(line.text))]).text
    }
    // A service begins its lines with its name, and so does who supervises it.
    var text = Substring(line.supervision ?? Substring(line.text))
    if text.hasPrefix(entry.process + " ") { text = text.dropFirst(entry.process.count).drop { $0 == " " } }
    let name = DisplayWidth.padded(Escaping.visible(entry.process), to: column)
    return "\(moment(line.time))  \(name)  \(Escaping.visible(String(text)))"
  }

  private func moment(_ time: String?) -> String {
    let width = showsDates ? 18 : 12
    guard let time else { return String(repeating: " ", count: width) }
    let (date, clock) = Self.local(time)
    return showsDates ? "\(date.dropFirst(5)) \(clock)" : clock
  }

  /// The date and the time of day of a stamp where the reader is.
  private static func local(_ stamp: String) -> (date: String, clock: String) {
    let numbers = stamp.split { !$0.isNumber }.compactMap { Int32($0) }
    guard numbers.count == 7 else { return ("", stamp) }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
    var moment = timegm(&parts)
    guard localtime_r(&moment, &parts) != nil else { return ("", stamp) }
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let thousandths = String(stamp.dropFirst(20).prefix(3))
    return (
      "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))",
      "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(thousandths)"
    )
  }
}
