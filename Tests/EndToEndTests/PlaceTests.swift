import Glibc
import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaTesting
import MinervaTransport
import MinervaWire
import Testing

/// Names, sockets and directories that are taken, stale, too long or not ours (C04).
@Suite("Real processes and their places", .serialized, .oneAtATime)
struct PlaceTests {
  @Test("Processes: a second broker is refused with the first one's pid, and the first keeps working (C04)")
  func secondBrokerIsRefused() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let pid = try set.start("broker", "minerva-broker")
    let client = try await set.client()
    let second = try ProcessSet.Once.run("minerva-broker", ["--runtime", set.directory])
    #expect(second.status == 1)
    #expect(second.errors.contains("bus.endpoint_taken"))
    #expect(second.errors.contains("\(pid)"))
    #expect(try await client.status().pid == pid)
    await client.close()
  }

  @Test("Processes: a killed broker's socket is replaced, a regular file at its place is never deleted (C04)")
  func staleSocketsAreReplaced() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.start("broker", "minerva-broker")
    await (try await set.client()).close()
    set.kill("broker")
    #expect(RuntimeFiles.names(in: set.directory).contains("broker.sock"))
    try set.start("broker", "minerva-broker")
    await (try await set.client()).close()
    #expect(set.stop("broker") == 0)
    let path = set.directory + "/broker.sock"
    let file = try #require(fopen(path, "w"))
    fputs("mine", file)
    fclose(file)
    let refused = try ProcessSet.Once.run("minerva-broker", ["--runtime", set.directory])
    #expect(refused.status == 1)
    #expect(refused.errors.contains(path))
    #expect(access(path, F_OK) == 0)
  }

  @Test("Processes: two directories side by side do not meet")
  func directoriesAreApart() async throws {
    let one = try ProcessSet(), other = try ProcessSet()
    defer { one.end(); other.end() }
    try one.start("broker", "minerva-broker")
    try other.start("broker", "minerva-broker")
    let first = try await one.client(), second = try await other.client()
    #expect(try await first.status().pid != second.status().pid)
    await first.close()
    await second.close()
  }

  @Test("Processes: a path over 107 bytes and a directory that others may enter are refused with what to do")
  func unusableDirectoriesAreRefused() throws {
    let set = try ProcessSet()
    defer { set.end() }
    let long = set.directory + "/" + String(repeating: "x", count: 100)
    let tooLong = try ProcessSet.Once.run("minerva-broker", ["--runtime", long])
    #expect(tooLong.status == 1)
    #expect(tooLong.errors.contains("107"))
    let open = set.directory + "/open"
    mkdir(open, 0o700)
    chmod(open, 0o755)
    let tooOpen = try ProcessSet.Once.run("minerva-broker", ["--runtime", open])
    #expect(tooOpen.status == 1)
    #expect(tooOpen.errors.contains("bus.unsafe_directory"))
    #expect(tooOpen.errors.contains("chmod"))
  }

  @Test("Processes: whoever dials checks the directory first, so that nobody types a password to a stranger's broker")
  func nobodyDialsIntoForeignDirectories() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.startCommand("set", "minerva", ["up", "--app", "shop", "--runtime", set.directory])
    let client = try await set.client()
    #expect(try await set.wait { try await !client.modules().isEmpty })
    await client.close()
    let place = ["--runtime", set.directory]
    let dialling: [[String]] = [
      ["minerva", "stack"], ["minerva", "enter", "top", "password", "correct horse"], ["minerva", "watch"], ["minerva", "status"],
      ["minerva", "diff", "--via-worker", "/dev/null", "/dev/null"], ["minerva", "down"], ["minerva-shell"],
    ]
    // Others may enter it; then it is theirs, which root alone can bring about.
    var changes: [(mode: mode_t, owner: uid_t, says: String)] = [(0o755, geteuid(), "chmod 700")]
    if geteuid() == 0 { changes.append((0o700, 4_321, "belongs to user 4321")) }
    for change in changes {
      #expect(chmod(set.directory, change.mode) == 0 && chown(set.directory, change.owner, getegid()) == 0)
      for words in dialling {
        let once = try ProcessSet.Once.run(words[0], Array(words.dropFirst()) + place, input: "stack\nquit\n", within: .seconds(20))
        #expect(once.status == 1 && once.errors.contains("bus.unsafe_directory"), "\(words): \(once)")
        #expect(once.errors.contains(change.says), "\(words): \(once)")
      }
      let doctor = try ProcessSet.Once.run("minerva", ["doctor"] + place)
      #expect(doctor.status == 1 && !doctor.output.contains("answers"), "\(doctor)")
    }
    #expect(chown(set.directory, geteuid(), getegid()) == 0)
    // Nobody was told to end, and the owner is let in as before.
    for words in [["stack"], ["down"]] { #expect(try ProcessSet.Once.run("minerva", words + place).status == 0) }
  }

  @Test("Processes: a second live host of a name is refused, a returning one is let in (C04)")
  func namesAreUnique() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.startAll(app: "shop", hosts: 1, workers: 0)
    let client = try await set.client()
    #expect(try await set.wait { try await !client.modules().isEmpty })
    let elsewhere = try ProcessSet()
    defer { elsewhere.end() }
    try elsewhere.start("shop-1", "minerva-host", ["--app", "shop", "--connect", set.endpoint.description])
    #expect(await elsewhere.wait { elsewhere.log(of: "shop-1").contains("name_taken") })
    set.kill("shop-1")
    try set.start("shop-1", "minerva-host", ["--app", "shop"])
    #expect(try await set.wait { try await client.status().peers.contains { $0.node == "shop-1" && $0.pid == set.pid(of: "shop-1") } })
    elsewhere.kill("shop-1")
    // The same while the broker reads nothing: it finds the next life's words beside the end of the one before.
    set.signal("broker", SIGSTOP)
    set.kill("shop-1")
    let lives = offers(set)
    try set.start("shop-1", "minerva-host", ["--app", "shop"])
    #expect(await set.wait(atMost: .seconds(2)) { offers(set) > lives } == false, "nobody let it in yet")
    set.signal("broker", SIGCONT)
    let opening = Command.Opening(ModuleAddress(name: "Settings", host: "shop-1"), input: Array(#"{"section":"privacy"}"#.utf8))
    var opened: ScreenID?
    let opens = await set.wait {
      opened = try? await client.request(.open(opening)).outcome.presented.last?.screen
      return opened != nil
    }
    #expect(opens, "\(set.log(of: "shop-1").suffix(1_000))")
    #expect(try await client.coordinators().contains { $0.summary.screen == opened && $0.summary.host == "shop-1" && !$0.isSuspended })
    #expect(try await client.status().peers.contains { $0.node == "shop-1" && $0.pid == set.pid(of: "shop-1") })
    await client.close()
  }

  /// How many lives of the host were let in.
  private func offers(_ set: ProcessSet) -> Int { set.log(of: "shop-1").split(separator: "\n").count { $0.contains("offers shop") } }
}
