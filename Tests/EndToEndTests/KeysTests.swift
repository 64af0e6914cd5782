import Foundation
import Glibc
import MinervaTesting
import Testing

/// A session over tcp and CURVE as a stranger types it: who may come in, as what, and who may not.
@Suite("Real processes over tcp with keys", .serialized, .oneAtATime)
struct KeysTests {
  @Test("Processes: over tcp a key that was allowed works, its role limits it, and any other key is refused")
  func allowedAndRefused() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let broker = try newKey("broker", in: set)
    let port = try FreePorts.pair()
    for (name, role) in [("anna", "navigate"), ("bob", "observe")] {
      let allowed = try minerva(["keys", "allow", try newKey(name, in: set), "--role", role, "--name", name], in: set)
      #expect(allowed.status == 0, "\(allowed.errors)")
    }
    _ = try newKey("eve", in: set)
    let listed = try minerva(["keys", "list"], in: set).output
    #expect(listed.contains("navigate  anna") && listed.contains("observe  bob") && !listed.contains("eve"))

    try set.startCommand("up", "minerva", ["up", "--app", "shop", "--listen", "tcp://127.0.0.1:\(port)", "--runtime", set.directory])
    #expect(await set.wait(atMost: .seconds(20)) { (try? minerva(["stack"], in: set).status) == 0 })
    func says(_ who: String, _ words: [String]) throws -> ProcessSet.Once {
      try ProcessSet.Once.run(
        "minerva",
        words + ["--connect", "tcp://127.0.0.1:\(port)", "--key", "\(set.directory)/keys/\(who).key", "--server-key", broker])
    }
    let opened = try says("anna", ["open", "Settings"])
    #expect(opened.status == 0 && opened.output.contains("presented in main"), "\(opened.output)\(opened.errors)")
    #expect(try says("bob", ["stack"]).output == "main [s2 Home, s3 Settings]\n")
    let limited = try says("bob", ["back"])
    #expect(limited.status == 1 && limited.errors.contains("bus.unauthorized"), "\(limited.output)\(limited.errors)")
    let refused = try says("eve", ["stack"])
    #expect(refused.status == 1 && refused.errors.contains("bus.unauthorized"), "\(refused.output)\(refused.errors)")
    #expect(refused.errors.contains("minerva keys allow"))
    #expect(try says("anna", ["stack"]).output == "main [s2 Home, s3 Settings]\n")
    #expect(try minerva(["down"], in: set).status == 0)
  }

  @Test("Processes: a key allowed or revoked while the set runs is let in or shut out by it, and SIGHUP to up reads the list again")
  func whileItRuns() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let broker = try newKey("broker", in: set)
    let port = try FreePorts.pair()
    #expect(
      try minerva(["keys", "allow", try newKey("anna", in: set), "--name", "anna"], in: set).errors.contains("as soon as a broker runs"))
    let (bob, eve) = (try newKey("bob", in: set), try newKey("eve", in: set))
    try set.startCommand("up", "minerva", ["up", "--app", "shop", "--listen", "tcp://127.0.0.1:\(port)", "--runtime", set.directory])
    #expect(await set.wait(atMost: .seconds(20)) { (try? minerva(["stack"], in: set).status) == 0 })
    func looks(_ who: String) -> ProcessSet.Once? {
      try? ProcessSet.Once.run(
        "minerva",
        ["stack", "--connect", "tcp://127.0.0.1:\(port)", "--key", "\(set.directory)/keys/\(who).key", "--server-key", broker])
    }
    #expect(looks("anna")?.status == 0)
    #expect(looks("bob")?.errors.contains("bus.unauthorized") == true)

    let allowed = try minerva(["keys", "allow", bob, "--role", "observe", "--name", "bob"], in: set)
    #expect(allowed.errors.contains("reads the list now"), "\(allowed.errors)")
    #expect(await set.wait { looks("bob")?.status == 0 }, "bob is let in")
    try set.startCommand(
      "watch", "minerva",
      ["watch", "--connect", "tcp://127.0.0.1:\(port)", "--key", "\(set.directory)/keys/bob.key", "--server-key", broker])
    #expect(
      await set.wait {
        _ = try? minerva(["open", "Detail", "id=1"], in: set)
        return set.log(of: "watch").contains("screen.presented")
      }, "bob watches")
    #expect(try minerva(["keys", "revoke", "bob"], in: set).errors.contains("reads the list now"))
    #expect(await set.wait { looks("bob")?.errors.contains("bus.unauthorized") == true }, "bob is shut out")
    #expect(await set.wait { set.log(of: "watch").contains("waiting for the broker") }, "bob's watch: \(set.log(of: "watch").suffix(200))")
    #expect(looks("anna")?.status == 0)

    // A list that was written by hand.
    let list = set.directory + "/keys/authorized"
    try (RuntimeFiles.text(list) + "\(eve) observe # eve\n").write(toFile: list, atomically: true, encoding: .utf8)
    set.signal("up", SIGHUP)
    #expect(await set.wait { looks("eve")?.status == 0 }, "eve is let in: \(set.ending(of: "up"))")
    #expect(try minerva(["down"], in: set).status == 0)
    #expect(set.exit(of: "up") == 0)
  }

  @Test(
    "Processes: a key revoked while the broker's socket is gone is shut out by its other door; SIGTERM behind SIGHUP ends the set (C01)")
  func withoutASocket() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let broker = try newKey("broker", in: set)
    let port = try FreePorts.pair()
    #expect(try minerva(["keys", "allow", try newKey("bob", in: set), "--name", "bob"], in: set).status == 0)
    try set.startCommand("up", "minerva", ["up", "--app", "shop", "--listen", "tcp://127.0.0.1:\(port)", "--runtime", set.directory])
    #expect(await set.wait(atMost: .seconds(20)) { (try? minerva(["stack"], in: set).status) == 0 })
    func looks() -> ProcessSet.Once? {
      try? ProcessSet.Once.run(
        "minerva",
        ["stack", "--connect", "tcp://127.0.0.1:\(port)", "--key", "\(set.directory)/keys/bob.key", "--server-key", broker])
    }
    #expect(looks()?.status == 0)
    // As a cleaner of temporary directories does it.
    #expect(unlink(set.directory + "/broker.sock") == 0)
    let revoked = try minerva(["keys", "revoke", "bob"], in: set)
    #expect(revoked.status == 0 && revoked.errors.contains("reads the list now"), "\(revoked.errors)")
    #expect(await set.wait { looks()?.errors.contains("bus.unauthorized") == true }, "bob is shut out")
    set.signal("up", SIGHUP)
    set.signal("up", SIGTERM)
    #expect(set.exit(of: "up", within: .seconds(4)) == 0, "\(set.log(of: "up"))")
  }

  @Test("Processes: keys that are allowed at once are all on the list, narrowed ones say to what, and a name is enough to revoke")
  func list() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let keys = try (1...6).map { try newKey("k\($0)", in: set) }
    for (number, key) in keys.enumerated() {
      try set.startCommand(
        "allow-\(number)", "minerva",
        ["keys", "allow", key, "--name", "n\(number)", "--only-scene", "my scene", "--runtime", set.directory])
    }
    for number in keys.indices { #expect(set.exit(of: "allow-\(number)") == 0, "\(set.log(of: "allow-\(number)"))") }
    let listed = try minerva(["keys", "list"], in: set).output
    for key in keys { #expect(listed.contains("\(key)  navigate scene=my scene  n"), "\(listed)") }
    #expect(try minerva(["keys", "revoke", "n3"], in: set).status == 0)
    #expect(try !minerva(["keys", "list"], in: set).output.contains(keys[3]))
    #expect(try minerva(["keys", "revoke", "n9"], in: set).errors.hasPrefix("error keys.unknown: "))
  }

  @Test("Processes: tcp without keys is refused before anything starts, with what to do")
  func withoutKeys() throws {
    let set = try ProcessSet()
    defer { set.end() }
    let listen = ["up", "--app", "shop", "--listen", "tcp://127.0.0.1:\(try FreePorts.pair())"]
    let noKey = try minerva(listen, in: set)
    #expect(noKey.status == 1 && noKey.errors.contains("minerva keys new broker"), "\(noKey.errors)")
    _ = try newKey("broker", in: set)
    let noList = try minerva(listen, in: set)
    #expect(noList.status == 1 && noList.errors.contains("minerva keys allow"), "\(noList.errors)")
    #expect(!RuntimeFiles.names(in: set.directory).contains("broker.sock"))
  }

  private func minerva(_ words: [String], in set: ProcessSet) throws -> ProcessSet.Once {
    try ProcessSet.Once.run("minerva", words + ["--runtime", set.directory])
  }

  /// Makes a key pair and returns the public key.
  private func newKey(_ name: String, in set: ProcessSet) throws -> String {
    let made = try minerva(["keys", "new", name], in: set)
    #expect(made.status == 0, "\(made.errors)")
    return String(made.output.prefix { $0 != "\n" })
  }
}
