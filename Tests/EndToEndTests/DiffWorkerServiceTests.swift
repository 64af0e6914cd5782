import Foundation
import ListDiff
import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaTesting
import MinervaTransport
import MinervaWire
import RawPeers
import Testing

/// What a diff worker does for its callers, with real processes: lists that it keeps, large jobs in pieces, strangers, and people's files.
@Suite("Real diff workers and their callers", .serialized, .oneAtATime, .timeLimit(.minutes(3)))
struct DiffWorkerServiceTests {
  private func withWorkers(_ count: Int = 1, _ body: (ProcessSet, Client) async throws -> Void) async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.start("broker", "minerva-broker")
    for number in 1...count { try set.start("diff-\(number)", "minerva-diff") }
    let client = try await set.client()
    #expect(try await set.wait { try await client.status().pool.workers == count })
    try await body(set, client)
    await client.close()
  }

  private func worker(_ client: Client, _ set: ProcessSet, _ name: String = "diff-1") async throws -> $DiffWorker {
    await client.bus.route(node: name, to: .ipc(path: set.directory + "/\(name).sock"))
    return try $DiffWorker.resolve(id: ActorAddress(node: name, name: WellKnown.worker), using: client.bus)
  }

  // MARK: Lists that the worker keeps

  @Test("Processes: a list is sent once, then its new rows alone; after the worker's death both lists, and nothing is lost (C05)")
  func heldList() async throws {
    try await withWorkers { set, client in
      let list = DiffClient(client).list("users")
      var rows: [Int] = []
      func change(_ seed: UInt64) async throws -> DiffResult {
        var random = Seeded(seed)
        var next = rows
        for _ in 0..<20 { next.insert(Int.random(in: 0..<1 << 40, using: &random), at: Int.random(in: 0...next.count, using: &random)) }
        for _ in 0..<3 { next.remove(at: Int.random(in: 0..<next.count, using: &random)) }
        let result = try await list.update(to: KnownJob.rows(next))
        #expect(try ChangeSet(decoding: result.changes).apply(to: rows, from: next) == next, "seed \(seed)")
        rows = next
        return result
      }
      for seed in 0..<30 as Range<UInt64> {
        let result = try await change(seed)
        #expect(seed == 0 || result.sentBytes == KnownJob.rows(rows).byteCount, "only the new rows were sent")
      }
      #expect(try await worker(client, set).status().lists == 1)
      let before = rows
      set.kill("diff-1")
      try set.start("diff-1", "minerva-diff")
      let after = try await change(100)
      #expect(after.sentBytes == KnownJob.rows(before).byteCount + KnownJob.rows(rows).byteCount)
      #expect(try await change(101).sentBytes == KnownJob.rows(rows).byteCount)
    }
  }

  @Test("Processes: a newer update of a list supersedes the one under way, and each has one answer (B04)")
  func superseded() async throws {
    try await withWorkers { set, client in
      let list = DiffClient(client).list("users")
      let known = KnownJob("big", seed: 4, rows: 200_000)
      _ = try await list.update(to: known.oldRows)
      var slow = DiffOptions()
      slow.hold = 5_000
      let wait = slow
      let older = Task { try await list.update(to: KnownJob.rows([1, 2, 3]), wait) }
      #expect(try await set.wait { try await client.status().pool.running == 1 })
      let newer = try await list.update(to: known.newRows)
      #expect(await failure { _ = try await older.value }?.code == .diffSuperseded)
      #expect(try known.isAnswered(by: newer.changes), "it starts from what was answered last")
      #expect(try await worker(client, set).status().jobs == 0)
    }
  }

  @Test("Processes: who missed an answer learns it by list.stale, and goes on with both lists (C06)")
  func gap() async throws {
    try await withWorkers { set, client in
      let worker = try await worker(client, set)
      let (one, two, three) = (KnownJob.rows(0..<50), KnownJob.rows(10..<70), KnownJob.rows(0..<90))
      func job(_ id: String, _ old: DiffSide, _ new: DiffRows, _ version: UInt64) -> DiffJob {
        DiffJob(id: id, old: old, new: .rows(new), list: DiffList("users", version: version))
      }
      _ = try await worker.diff(job("1", .rows(DiffRows()), one, 1))
      // Its answer never came, as far as the caller knows.
      _ = try await worker.diff(job("2", .held(version: 1), two, 2))
      let error = await failure { _ = try await worker.diff(job("3", .held(version: 1), three, 3)) }
      #expect(error?.code == .listStale)
      #expect(error?.details["held"] == "2")
      let whole = try await worker.diff(job("4", .rows(one), three, 3))
      #expect(try ChangeSet(decoding: whole.changes).apply(to: Array(0..<50), from: Array(0..<90)) == Array(0..<90))
      #expect(whole.held == 3)
    }
  }

  @Test("Processes: a list dropped for others is sent again by itself, and memory keeps its bound")
  func dropped() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.start("broker", "minerva-broker")
    try set.start("diff-1", "minerva-diff", ["--memory", "8"])
    let client = try await set.client()
    let differ = DiffClient(client)
    let lists = (0..<12).map { differ.list("list \($0)") }
    for round in 0..<3 {
      for (number, list) in lists.enumerated() {
        let known = KnownJob("\(number)", seed: UInt64(number), rows: 20_000)
        let result = try await list.update(to: round.isMultiple(of: 2) ? known.oldRows : known.newRows)
        if round == 1 { #expect(try known.isAnswered(by: result.changes)) }
      }
    }
    let status = try await worker(client, set).status()
    #expect(status.dropped > 12 && status.lists < 12, "\(status)")
    #expect(status.mostBytes <= 8 << 20)
    await client.close()
  }

  // MARK: Large jobs

  @Test("Processes: a job of many megabytes goes in pieces and comes back in chunks, says how far it is, and small jobs pass it")
  func pieces() async throws {
    try await withWorkers { set, client in
      let differ = DiffClient(client)
      let rows = 700_000
      var random = Seeded(5)
      let old = Array(0..<rows)
      let new = old.shuffled(using: &random)
      let phases = Shared<[DiffProgress]>([])
      let options = DiffOptions(progress: { progress in phases.change { $0.append(progress) } })
      let isOver = Shared(false)
      let small = Task {
        var count = 0
        while !isOver.value {
          let known = KnownJob("small", seed: UInt64(count))
          guard try known.isAnswered(by: try await differ.changes(from: known.oldRows, to: known.newRows).changes) else { return -1 }
          count += 1
        }
        return count
      }
      var slow = options
      slow.hold = 600
      let result = try await differ.changes(from: KnownJob.rows(old), to: KnownJob.rows(new), slow)
      isOver.change { $0 = true }
      #expect(result.sentBytes > 10 << 20)
      #expect(result.changes.count > DiffAnswer.chunk)
      #expect(try ChangeSet(decoding: result.changes).apply(to: old, from: new) == new)
      #expect(try await small.value >= 5)
      #expect(!phases.value.isEmpty && phases.value.allSatisfy { $0.milliseconds >= 0 })
      #expect(phases.value.contains { $0.phase == .comparing && $0.rows == rows * 2 })
      let status = try await worker(client, set).status()
      #expect(status.bytes == 0 && status.jobs == 0, "\(status)")
    }
  }

  @Test("Processes: a job above the worker's memory ends with bus.too_large, one that finds no room waits for it")
  func memory() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.start("broker", "minerva-broker")
    try set.start("diff-1", "minerva-diff", ["--memory", "6"])
    let client = try await set.client()
    let differ = DiffClient(client)
    let large = KnownJob.rows(0..<400_000)
    #expect(await failure { _ = try await differ.changes(from: large, to: DiffRows()) }?.code == .tooLarge)
    // Each takes a good half of the memory for a while.
    let turned = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<4 {
        group.addTask {
          let known = KnownJob("\(number)", seed: UInt64(number), rows: 50_000)
          var options = DiffOptions()
          options.hold = 100
          let result = try await differ.changes(from: known.oldRows, to: known.newRows, options)
          #expect(try known.isAnswered(by: result.changes))
          return result.turnedAway
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(turned > 0)
    let status = try await worker(client, set).status()
    #expect(status.turnedAway >= turned && status.bytes == 0 && status.mostBytes <= 6 << 20, "\(status)")
    await client.close()
  }

  @Test("Processes: a job that is cancelled, or past its deadline, ends at once and leaves its worker to others")
  func givenUp() async throws {
    try await withWorkers { set, client in
      let differ = DiffClient(client)
      let remote = try await worker(client, set)
      let job = KnownJob("late", seed: 1)
      func options(_ deadline: Duration) -> DiffOptions {
        var options = DiffOptions(deadline: deadline)
        options.hold = 10_000
        return options
      }
      let error = await failure { _ = try await differ.changes(from: job.oldRows, to: job.newRows, options(.milliseconds(300))) }
      #expect(error?.code == .deadline)
      let task = Task { try await differ.changes(from: job.oldRows, to: job.newRows, options(.seconds(30))) }
      let isThere = try await set.wait { try await remote.status().jobs == 1 }
      #expect(isThere)
      task.cancel()
      let ended = await failure { _ = try await task.value }
      #expect(ended?.code == .cancelled)
      let isGone = try await set.wait {
        let running = try await client.status().pool.running
        return try await remote.status().jobs == 0 && running == 0
      }
      #expect(isGone)
      let result = try await differ.changes(from: job.oldRows, to: job.newRows)
      #expect(try job.isAnswered(by: result.changes))
    }
  }

  // MARK: Strangers

  @Test("Processes: thousands of mutated jobs of a raw peer leave a worker as it was, and its callers served")
  func mutatedJobs() async throws {
    let isDeep = ProcessInfo.processInfo.environment["MINERVA_DEEP"] != nil
    let interfaces = try await FixedInterfaces.learn()
    try await withWorkers { set, client in
      let differ = DiffClient(client)
      let endpoint = Endpoint.ipc(path: set.directory + "/diff-1.sock")
      func served(_ seed: UInt64) async throws {
        let known = KnownJob("served", seed: seed)
        #expect(try known.isAnswered(by: try await differ.changes(from: known.oldRows, to: known.newRows).changes))
      }
      for seed in 0..<50 as Range<UInt64> { try await served(seed) }
      let before = try #require(set.usage(of: "diff-1"))
      let seed = getenv("MINERVA_SEED").flatMap { UInt64(String(cString: $0)) } ?? .random(in: .min ... .max)
      var mutator = try JobMutator(seed: seed, targets: interfaces.worker.names)
      for life in 0..<(isDeep ? 500 : 20) {
        let raw = try #require(RawPeer(endpoint))
        if !life.isMultiple(of: 4) {
          #expect(try raw.greet("raw-\(life)", incarnation: UInt64(life) + 1, api: interfaces.catalogue.version) == .welcome)
        }
        for _ in 0..<200 {
          #expect(raw.send([mutator.next()]), "seed \(seed), life \(life)")
          raw.drain()
        }
        try await served(UInt64(life))
      }
      let worker = try await worker(client, set)
      // What its callers left behind goes with them.
      let isEmpty = try await set.wait { try await worker.status().bytes == 0 }
      let status = try await worker.status()
      #expect(isEmpty, "seed \(seed): \(status)")
      let after = try #require(set.usage(of: "diff-1"))
      #expect(after.memory <= before.memory + 16 << 20, "seed \(seed): \(before.memory >> 20) MiB before, \(after.memory >> 20) now")
      #expect(await set.wait { (set.usage(of: "diff-1")?.descriptors ?? .max) <= before.descriptors + 2 })
    }
  }

  @Test("Processes: a caller that asks and never reads costs a worker a bounded queue, and nobody else anything (C06)")
  func stuckReader() async throws {
    let interfaces = try await FixedInterfaces.learn()
    try await withWorkers { set, client in
      let differ = DiffClient(client)
      let raw = try #require(RawPeer(.ipc(path: set.directory + "/diff-1.sock")))
      #expect(try raw.greet("stuck", api: interfaces.catalogue.version) == .welcome)
      // 20,000 rows in another order: a small question, and an answer of a hundred kilobytes.
      var random = Seeded(6)
      let list = KnownJob.rows((0..<20_000).shuffled(using: &random))
      let ask = DiffJob(id: "keep", old: .rows(DiffRows()), new: .rows(KnownJob.rows(0..<20_000)), list: DiffList("l", version: 1))
      raw.send([RawPeer.call(WellKnown.worker, interfaces.worker.names[0], arguments: try CBOR.encode(ask), count: 1, identifier: 1)])
      for number in 2..<400 as Range<UInt64> {
        let job = DiffJob(id: "\(number)", old: .rows(list), new: .rows(KnownJob.rows(0..<20_000)))
        raw.send([
          RawPeer.call(
            WellKnown.worker, interfaces.worker.names[0], arguments: try CBOR.encode(job), count: 1, identifier: number, deadline: 60_000)
        ])
        if number.isMultiple(of: 20) {
          let known = KnownJob("served", seed: number)
          #expect(try known.isAnswered(by: try await differ.changes(from: known.oldRows, to: known.newRows).changes))
        }
      }
      let worker = try await worker(client, set)
      let status = try await worker.status()
      #expect(status.mostBytes <= status.limit)
      let usage = try #require(set.usage(of: "diff-1"))
      #expect(usage.memory < 512 << 20, "\(usage.memory >> 20) MiB")
      // It reads again: what it hears are answers and refusals, each of a call of its own.
      #expect(!raw.messages(within: .seconds(5), upTo: 10).isEmpty)
    }
  }

  // MARK: People's files

  @Test("Processes: minerva diff --via-worker prints what it prints without, by a worker of its own or of the running set, in every form")
  func viaWorker() async throws {
    try await withWorkers { set, _ in
      func file(_ name: String, _ lines: [String]) throws -> String {
        let path = "\(set.directory)/\(name)"
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        return path
      }
      let old = try file("old.tsv", ["x\ta\t1", "x\tb\t1", "y\tc\t1", "y\td\t1"])
      let new = try file("new.tsv", ["y\tc\t2", "y\ta\t1", "z\te\t1", "z\tf\t1"])
      let twice = try file("twice.tsv", ["x\ta\t1", "x\tb\t1", "y\ta\t1"])
      let empty = try file("empty", [])
      let running = ["--runtime", set.directory]
      func same(_ words: [String], _ place: [String]) throws {
        let here = try ProcessSet.Once.run("minerva", ["diff"] + words + ["--runtime", "/nowhere"])
        let there = try ProcessSet.Once.run("minerva", ["diff", "--via-worker"] + words + place)
        #expect(there.output == here.output && there.status == here.status && there.errors == here.errors, "\(words): \(there.errors)")
      }
      for form in ["batch", "steps", "staged"] { try same([old, new, "--form", form, "--check"], running) }
      for form in ["batch", "staged"] {
        try same([old, new, "--ids", "tsv:2", "--section", "1", "--form", form, "--check", "--json"], running)
      }
      try same([empty, new, "--check"], running)
      try same([new, empty, "--check"], running)
      // Refusals name the same lines.
      try same([old, twice, "--ids", "tsv:2"], running)
      try same([old, twice, "--ids", "tsv:2", "--section", "1"], running)
      try same([old, new, "--ids", "tsv:2", "--check"], ["--runtime", set.directory + "/nobody"])
      set.kill("diff-1")
      let none = try ProcessSet.Once.run("minerva", ["diff", "--via-worker", old, new] + running)
      #expect(none.status != 0 && none.errors.contains("diff.no_worker"), "\(none.errors)")
    }
  }

  @Test("Processes: the client that the article on diff workers shows is the one that is built, and prints what it says")
  func article() async throws {
    let article = try String(contentsOf: ReadmeTests.root.appending(path: "Sources/Minerva/Minerva.docc/DiffWorkers.md"), encoding: .utf8)
    let source = try String(contentsOf: ReadmeTests.root.appending(path: "Tests/Support/diff-client/Main.swift"), encoding: .utf8)
    #expect(article.contains("```swift\n\(source)```"))
    try await withWorkers { set, _ in
      let run = try ProcessSet.Once.run("diff-client", ["ipc://\(set.directory)/broker.sock"])
      #expect(
        run.status == 0 && article.contains("it prints `\(run.output.split(separator: "\n").first ?? "")`"), "\(run.output)\(run.errors)")
    }
  }
}

/// Calls of a worker's methods, cut, lengthened or changed in some bytes.
private struct JobMutator {
  private let sound: [[UInt8]]
  private var random: Seeded

  init(seed: UInt64, targets: [String]) throws {
    random = Seeded(seed)
    let rows = KnownJob.rows(0..<60)
    let list = DiffList("l", version: 1)
    let arguments: [[UInt8]] = try [
      CBOR.encode(DiffJob(id: "a", old: rows, new: KnownJob.rows(5..<80))),
      CBOR.encode(DiffJob(id: "b", old: .rows(DiffRows()), new: .rows(rows), list: list)),
      CBOR.encode(DiffJob(id: "c", old: .held(version: 1), new: .sent(pieces: 1), list: list)),
      CBOR.encode(DiffPiece(job: "c", side: .new, number: 0, rows: rows)), CBOR.encode("c"), CBOR.encode(7),
    ]
    sound = targets.flatMap { target in
      arguments.map { RawPeer.call(WellKnown.worker, target, arguments: $0, count: 1, identifier: 1_000) }
    }
  }

  mutating func next() -> [UInt8] {
    guard var frame = sound.randomElement(using: &random) else { return [] }
    // Calls of their own, so that most reach the decoder.
    for offset in 8..<12 { frame[offset] = UInt8.random(in: 0...255, using: &random) }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: frame.removeLast(Int.random(in: 1..<frame.count, using: &random))
    case 1: frame += random.bytes(Int.random(in: 1...200, using: &random))
    case 2: break
    default:
      for _ in 0...Int.random(in: 0...6, using: &random) {
        frame[Int.random(in: 32..<frame.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
    }
    return frame
  }
}
