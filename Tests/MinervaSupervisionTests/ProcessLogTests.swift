import Glibc
import MinervaSupervision
import MinervaWire
import Testing

@Suite("Logs of processes (starts processes)") struct ProcessLogTests {
  @Test("A line tells its time if it has one, in one form alone")
  func forms() {
    let stamp = ProcessLog.stamp
    #expect(ProcessLog.Line("\(stamp) broker  begins") == ProcessLog.Line(time: stamp, text: "broker  begins"))
    #expect(ProcessLog.Line("\(stamp) ") == ProcessLog.Line(time: stamp, text: ""))
    for text in ["", "2026-11-30", stamp, "\(stamp)x", stamp.replacing("T", with: " ") + " x", "２０２６-11-30T10:00:00.000Z x", "é\(stamp) x"]
    {
      #expect(ProcessLog.Line(text) == ProcessLog.Line(time: nil, text: text), "\(text)")
    }
  }

  @Test("The last words are those of the last life: the head of its crash, else its last line")
  func lastWords() {
    func words(_ lines: String...) -> String? { ProcessLog.lastWords(of: lines.map { ProcessLog.Line($0) }) }
    let (start, end) = (
      "\(ProcessLog.stamp) supervisor  a started, pid 7, generation 2", "\(ProcessLog.stamp) supervisor  a generation 2, pid 7, ended"
    )
    #expect(words("old", end, start, "\(ProcessLog.stamp) a  cannot open x", "  ", end) == "a  cannot open x")
    #expect(words("old", end, "cannot open x", start, end) == "cannot open x", "it was faster than its supervisor")
    #expect(words(start, "m.swift:1: Fatal error: empty", "0 in frame", "1 in frame", end) == "m.swift:1: Fatal error: empty")
    #expect(words(start, "error journal.file: cannot open x", "  check its owner", end) == "error journal.file: cannot open x")
    #expect(words("old", end, start, end) == nil && words() == nil)
  }

  @Test("The supervisor writes each start and end into a process's log, with the time")
  func supervision() async throws {
    let runtime = try RuntimeDirectory.makePrivate(prefix: "minerva-test")
    defer { runtime.remove() }
    let supervisor = try ProcessSupervisor(runtime: runtime, settings: .init(firstDelay: .milliseconds(1), restartLimit: 1))
    supervisor.add(
      ProcessSpecification(name: "falls", kind: "test", executable: "/bin/sh", arguments: ["-c", "echo no such thing >&2; exit 3"]))
    #expect(eventually { supervisor.statuses.first?.phase == .gaveUp })
    await supervisor.stop()
    let descriptor = open(runtime.logPath("falls"), O_RDONLY)
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(descriptor, &bytes, bytes.count)
    close(descriptor)
    let lines = bytes[..<max(0, count)].split(separator: 0x0A).map { ProcessLog.Line(String(decoding: $0, as: UTF8.self)) }
    let said = lines.compactMap(\.supervision)
    #expect(said.count == 5 && lines.allSatisfy { ($0.supervision == nil) == ($0.time == nil) }, "\(lines)")
    #expect(lines.contains { $0.supervision?.hasSuffix("ended unexpectedly: exit 3") == true }, "\(lines)")
    #expect(lines.last?.supervision?.contains("is given up; minerva logs falls says why") == true, "\(lines)")
    #expect(ProcessLog.lastWords(at: runtime.logPath("falls")) == "no such thing")
  }
}
