import Foundation
import MinervaActors
import MinervaTesting
import MinervaTransport
import MinervaWire
import Synchronization
import Testing

/// An installation whose programs are of different builds.
@Suite("Real processes of different builds", .serialized, .oneAtATime, .timeLimit(.minutes(2)))
struct OtherBuildTests {
  @Test("Processes: up beside a broker of another build asks it once, and ends with what it answered")
  func broker() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    // A supervisor starts what stands beside it: a broker whose place another one answers for.
    let programs = set.directory + "/bin"
    try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: try ProductDirectory.executable("minerva"), toPath: programs + "/minerva")
    let stub = programs + "/minerva-broker"
    try "#!/bin/sh\nexec sleep 600\n".write(toFile: stub, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: stub)
    let rejected = Mutex(0)
    let other = BusSystem(
      BusSettings(node: "broker", kind: "broker", interfaces: InterfaceCatalogue(number: 2, names: ["$sX"])) { line in
        if line.kind == "rejected" { rejected.withLock { $0 += 1 + line.heldBack } }
      })
    _ = try await other.listen(on: .ipc(path: set.directory + "/broker.sock"))
    let (up, errors) = (Process(), Pipe())
    up.executableURL = URL(filePath: programs + "/minerva")
    up.arguments = ["up", "--diff-workers", "0", "--runtime", set.directory]
    (up.standardInput, up.standardOutput, up.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice, errors)
    try up.run()
    defer { if up.isRunning { kill(up.processIdentifier, SIGKILL) } }
    #expect(await set.wait(atMost: .seconds(60)) { !up.isRunning })
    await other.close(grace: .zero)
    #expect(up.terminationStatus == 1)
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(said.contains("error bus.unsupported: "), "\(said)")
    #expect(rejected.withLock { $0 } == 1)
  }
}
