import Glibc
import MinervaSupervision
public import MinervaWire

extension ProcessSet {
  /// One run of an executable to its end.
  public struct Once: Sendable {
    /// The exit status; 128 and the signal's number when a signal ended it.
    public var status: Int32
    /// What it wrote to standard output and to standard error.
    public var output: String
    public var errors: String

    /// Runs an executable and waits for its end.
    ///
    /// - Parameter input: What it reads from standard input.
    /// - Throws: `process.start` when it cannot be started, `bus.deadline` when it does not end in time; then it is killed.
    public static func run(
      _ executable: String, _ arguments: [String] = [], input: String = "", within time: Duration = .seconds(20)
    ) throws(MinervaError) -> Once {
      let place = try RuntimeDirectory.makePrivate(prefix: "minerva-once")
      defer { place.remove() }
      let path = try ProductDirectory.executable(executable)
      try FileText.write(input, to: "\(place.path)/in")
      let specification = ProcessSpecification(
        name: "once", kind: "test", executable: "/bin/sh",
        arguments: ["-c", "exec \"$0\" \"$@\" >\(place.path)/out 2>\(place.path)/err <\(place.path)/in", path] + arguments,
        output: .discard,
        restart: .never)
      let process = try SpawnedProcess.start(specification, runtime: place)
      let exit = process.wait(atMost: time)
      if exit == nil {
        process.signal(SIGKILL)
        _ = process.wait(atMost: .seconds(5))
        throw MinervaError(.deadline, "\(executable) \(arguments.joined(separator: " ")) did not end within \(time)")
      }
      let status: Int32 =
        switch exit {
        case .status(let status): status
        case .signal(let signal): 128 + signal
        case nil: -1
        }
      return Once(status: status, output: FileText.read("\(place.path)/out"), errors: FileText.read("\(place.path)/err"))
    }
  }
}

/// The text of a file.
enum FileText {
  static func write(_ text: String, to path: String) throws(MinervaError) {
    guard let file = fopen(path, "w") else { throw MinervaError(.runtimeFile, "cannot write \(path)") }
    defer { fclose(file) }
    let bytes = Array(text.utf8)
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw MinervaError(.runtimeFile, "cannot write \(path)") }
  }

  static func read(_ path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&piece, 1, piece.count, file)
      guard count > 0 else { break }
      text += piece[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }
}
