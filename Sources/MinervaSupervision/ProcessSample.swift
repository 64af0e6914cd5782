internal import CPosix
internal import Glibc

/// What a running process uses, read from `/proc`.
package struct ProcessSample: Sendable, Hashable, Codable {
  package let pid: Int32
  /// Memory in use, in bytes (resident set).
  package let residentBytes: Int
  package let openDescriptors: Int
  package let threads: Int
  /// Processor time used so far, user and system.
  package let cpuMilliseconds: Int64
  /// The start, in clock ticks since boot: with the pid it names a process for good.
  package let startTicks: UInt64
  /// How long it has been running.
  package let uptimeMilliseconds: Int64

  /// Reads a sample; nil when there is no such process or it is another user's.
  package init?(pid: Int32) {
    guard let stat = Self.read("/proc/\(pid)/stat"), let close = stat.lastIndex(of: ")") else { return nil }
    // The name in brackets may hold anything; what follows the last bracket starts with field 3.
    let fields = stat[stat.index(after: close)...].split(separator: " ")
    guard fields.count > 21, fields[0] != "Z", let user = Int64(fields[11]), let system = Int64(fields[12]),
      let threads = Int(fields[17]), let start = UInt64(fields[19]), let pages = Int(fields[21])
    else { return nil }
    guard let descriptors = Self.countEntries("/proc/\(pid)/fd") else { return nil }
    let ticks = Int64(max(1, sysconf(Int32(_SC_CLK_TCK))))
    var boot = timespec()
    clock_gettime(CLOCK_BOOTTIME, &boot)
    let now = Int64(boot.tv_sec) * 1000 + Int64(boot.tv_nsec) / 1_000_000
    self.pid = pid
    residentBytes = pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    openDescriptors = descriptors
    self.threads = threads
    cpuMilliseconds = (user + system) * 1000 / ticks
    startTicks = start
    uptimeMilliseconds = max(0, now - Int64(clamping: start) * 1000 / ticks)
  }

  /// Whether a process of that number runs (a zombie does not).
  package static func isRunning(_ pid: Int32) -> Bool {
    guard let stat = read("/proc/\(pid)/stat"), let close = stat.lastIndex(of: ")") else { return false }
    let state = stat[stat.index(after: close)...].drop { $0 == " " }.first
    return state != "Z" && state != "X"
  }

  static func read(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  private static func countEntries(_ path: String) -> Int? {
    guard let directory = opendir(path) else { return nil }
    defer { closedir(directory) }
    var count = -2
    while readdir(directory) != nil { count += 1 }
    return max(0, count)
  }
}
