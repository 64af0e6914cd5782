import Foundation
import ListDiff
import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaNavigation
import MinervaTesting
import MinervaTransport
import MinervaWire
import Testing

/// Hosts and workers that listen over tcp, as on a second machine: whom they let in is what their broker says.
@Suite("Real hosts and workers on other machines", .serialized, .oneAtATime, .timeLimit(.minutes(3)))
struct SecondMachineTests {
  @Test(
    "Processes: a worker on tcp serves callers over tcp and from the broker's directory; keys that may not lease, and revoked ones, are refused"
  )
  func worker() async throws {
    let place = try KeyedPlace([
      "diff-1": PeerGrant(role: .admin), "anna": PeerGrant(role: .navigate), "bob": PeerGrant(role: .observe),
    ])
    defer { place.end() }
    let machine = try place.startElsewhere("diff-1", "minerva-diff")
    let local = try await place.set.client("local")
    #expect(try await place.set.wait(atMost: .seconds(20)) { try await local.status().pool.workers == 1 })
    #expect(RuntimeFiles.names(in: machine.directory).filter { $0.hasSuffix(".sock") } == [], "nothing but tcp leads to it")
    let said = try #require(try await local.status().peers.first { $0.node == "diff-1" }?.endpoint)
    #expect(said.hasPrefix("tcp://127.0.0.1:") && !said.hasSuffix(":0"), "\(said)")

    let old = KnownJob.rows(Array(0..<500)), new = KnownJob.rows([7] + Array(100..<600))
    // From the broker's own directory, without any key of its own: the broker vouches for the one it drew.
    #expect(try await DiffClient(local).changes(from: old, to: new).worker == "diff-1")
    let anna = try await place.client("anna")
    #expect(try await DiffClient(anna).changes(from: old, to: new).worker == "diff-1")

    // As people type it.
    let files = (place.set.directory + "/old.txt", place.set.directory + "/new.txt")
    try "a\nb\nc\n".write(toFile: files.0, atomically: true, encoding: .utf8)
    try "c\na\nd\n".write(toFile: files.1, atomically: true, encoding: .utf8)
    let words = ["diff", files.0, files.1, "--check", "--json"]
    let here = try ProcessSet.Once.run("minerva", words)
    for way in [place.words("anna"), ["--runtime", place.set.directory]] {
      let there = try ProcessSet.Once.run("minerva", words + ["--via-worker"] + way)
      #expect(there.status == 0 && there.output == here.output, "\(there.output)\(there.errors)")
    }

    // Straight to the worker, past the broker.
    let endpoint = try Endpoint(said)
    for (name, code) in [("bob", MinervaError.Code.unauthorized), ("eve", .unauthorized), ("anna", nil)] as [(String, MinervaError.Code?)] {
      var settings = BusSettings(node: "stranger", interfaces: try await FixedInterfaces.learn().catalogue)
      settings.security =
        name == "eve"
        ? BusSecurity(keys: try CurveKeyPair(), server: place.key("diff-1")) : place.security(name, server: place.key("diff-1"))
      let bus = BusSystem(settings)
      var found: MinervaError.Code?
      do throws(MinervaError) { try await bus.connect(to: endpoint) } catch { found = error.code }
      #expect(found == code, "\(name)")
      if name == "anna" {
        let worker = try $DiffWorker.resolve(id: ActorAddress(node: "diff-1", name: WellKnown.worker), using: bus)
        let refused = await error { try await worker.admit(AdmittedKeys(listed: "")) }
        #expect(refused?.code == .unauthorized, "the broker alone says who may come in")
      }
      await bus.close(grace: .zero)
    }

    // What is revoked at the broker is shut out at the worker too.
    try place.revoke("anna")
    let isOut = try await place.set.wait {
      var settings = BusSettings(node: "again", interfaces: try await FixedInterfaces.learn().catalogue)
      settings.security = place.security("anna", server: place.key("diff-1"))
      let bus = BusSystem(settings)
      defer { Task { await bus.close(grace: .zero) } }
      do throws(MinervaError) { try await bus.connect(to: endpoint) } catch { return error.code == .unauthorized }
      return false
    }
    #expect(isOut)
    // The next life of the broker knows its doors again, and the worker goes on.
    place.set.kill("broker")
    try place.set.start("broker", "minerva-broker", ["--listen", place.endpoint.description])
    #expect(try await DiffClient(local).changes(from: old, to: new).worker == "diff-1")
    for client in [local, anna] { await client.close() }
  }

  private func error(_ body: () async throws -> Void) async -> MinervaError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? MinervaError
    }
  }

  @Test(
    "Processes: a store, a worker and a host, each on a machine of its own, and one in the broker's directory: all reach each other over tcp"
  )
  func hosts() async throws {
    let place = try KeyedPlace([
      "store-1": PeerGrant(role: .admin), "diff-1": PeerGrant(role: .admin), "workouts-2": PeerGrant(role: .admin),
      "half": PeerGrant(role: .admin, apps: ["shop"]),
    ])
    defer { place.end() }
    let store = try place.startElsewhere("store-1", "minerva-host", ["--app", "store"])
    let machines = [
      store, try place.startElsewhere("diff-1", "minerva-diff"),
      try place.startElsewhere("workouts-2", "minerva-host", ["--app", "workouts", "--offer", "CreateUser,EditWorkout"]),
    ]
    // Local, without a key: it dials the store over tcp all the same.
    try place.set.start("workouts-1", "minerva-host", ["--app", "workouts", "--except", "CreateUser,EditWorkout"])
    let person = Person(client: try await place.set.client())
    #expect(
      try await place.set.wait(atMost: .seconds(20)) {
        Set(try await person.client.modules().flatMap(\.hosts)) == ["workouts-1", "workouts-2"]
      }, "\(place.set.log(of: "workouts-1"))\(machines[2].log(of: "workouts-2"))")
    for machine in machines { #expect(RuntimeFiles.names(in: machine.directory).filter { $0.hasSuffix(".sock") } == []) }
    _ = try await person.waits(for: "User", set: place.set)
    let form = try await person.opens("CreateUser", via: .modal(.sheet), input: #"{"asking":1}"#)
    let reports = try await person.client.coordinators()
    #expect(reports.first { $0.summary.screen == form }?.summary.host == "workouts-2")
    #expect(reports.contains { $0.summary.host == "workouts-1" })
    // A key of another app may do nothing at a host, which does whatever it is told.
    let endpoint = try Endpoint(try #require(try await person.client.status().peers.first { $0.node == "store-1" }?.endpoint))
    var settings = BusSettings(node: "half", interfaces: try await FixedInterfaces.learn().catalogue)
    settings.security = place.security("half", server: place.key("store-1"))
    let bus = BusSystem(settings)
    let refused = await error { try await bus.connect(to: endpoint) }
    #expect(refused?.code == .unauthorized)
    await bus.close(grace: .zero)
    await person.client.close()
  }

  @Test("Processes: the demo plays over tcp throughout: hosts, store and workers have no sockets, and its kills are recovered from")
  func demo() async throws {
    let run = try ProcessSet.Once.run("minerva", ["demo", "--fast", "--tcp", "--json"], within: .seconds(90))
    #expect(run.status == 0, "\(run.output.suffix(2_000))\(run.errors)")
    #expect(run.output.split(separator: "\n").count { $0.contains("\"equal\":true") } == 3, "\(run.output.suffix(2_000))")
    let told = try ProcessSet.Once.run("minerva", ["demo", "--fast", "--tcp"], within: .seconds(90))
    #expect(told.status == 0 && told.output.contains("straight to ports of their own"), "\(told.output.suffix(2_000))\(told.errors)")
  }

  @Test("Processes: listening over tcp without a key, or where nobody can dial, is refused with what to do")
  func refusals() throws {
    let set = try ProcessSet()
    defer { set.end() }
    func says(_ words: [String]) throws -> String {
      let once = try ProcessSet.Once.run("minerva-diff", words + ["--runtime", set.directory])
      #expect(once.status != 0)
      return once.errors
    }
    #expect(try says(["--listen", "tcp://127.0.0.1:0"]).contains("minerva keys new"))
    let key = set.directory + "/w.key"
    try CurveKeyPair().write(file: key)
    #expect(try says(["--listen", "tcp://0.0.0.0:0", "--key", key]).contains("--advertise"))
    #expect(try says(["--listen", "ipc:///tmp/x.sock", "--key", key]).contains("takes a tcp endpoint"))
    #expect(try says(["--advertise", "tcp://127.0.0.1:7"]).contains("give both"))
    #expect(try says(["--listen", "tcp://10.1.2.3:0", "--insecure"]).contains("--insecure"))
  }
}
