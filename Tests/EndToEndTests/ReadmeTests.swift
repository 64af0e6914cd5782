import Foundation
import Minerva
import MinervaTesting
import Testing

/// What the README shows is what happens.
@Suite("Real processes do what the README shows", .serialized, .oneAtATime)
struct ReadmeTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The blocks of code below a heading, without their fences.
  private static func blocks(below heading: String) throws -> [[Substring]] {
    let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "## \(heading)"))
    let section = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
    let fenced = section.split(omittingEmptySubsequences: false) { $0.hasPrefix("```") }
    return fenced.enumerated().filter { $0.offset % 2 == 1 }.map { Array($0.element) }
  }

  /// Numbers of records depend on what the hosts had to say meanwhile.
  private static func withoutRecords(_ text: Substring) -> String { String(text).replacing(/#[0-9]+/, with: "#n") }

  private static func withoutNumbers(_ text: Substring) -> String { String(text).replacing(/[0-9]+/, with: "n") }

  private func minerva(_ arguments: [String], in set: ProcessSet) throws -> ProcessSet.Once {
    try ProcessSet.Once.run("minerva", arguments + ["--runtime", set.directory])
  }

  /// Words of a line as a shell splits them: quotes keep spaces together.
  private static func words(_ line: Substring) -> [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { part in
      part.offset % 2 == 1 ? [String(part.element)] : part.element.split(separator: " ").map(String.init)
    }
  }

  @Test("Processes: the first steps give the very lines that the README prints")
  func firstSteps() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let transcript = try #require(try Self.blocks(below: "First steps").first)
    let commands = transcript.split(omittingEmptySubsequences: true) { $0.isEmpty }.joined()
    var expected: [String] = []
    var current: [String]?
    func check() throws {
      guard let words = current else { return }
      let run = try minerva(words, in: set)
      let said = (run.output + run.errors).split(separator: "\n", omittingEmptySubsequences: true).map(Self.withoutRecords)
      #expect(said == expected, "minerva \(words.joined(separator: " "))")
    }
    for line in commands {
      guard line.hasPrefix("$ minerva ") else {
        expected.append(Self.withoutRecords(line))
        continue
      }
      try check()
      (current, expected) = (nil, [])
      let words = Self.words(line.dropFirst("$ minerva ".count))
      if words.first == "up" {
        try set.startCommand("up", "minerva", words.filter { $0 != "&" } + ["--runtime", set.directory])
        #expect(await set.wait(atMost: .seconds(20)) { (try? minerva(["stack"], in: set).status) == 0 })
      } else if words.first == "down" {
        #expect(try minerva(words, in: set).status == 0)
        #expect(set.exit(of: "up") == 0)
      } else {
        current = words
      }
    }
    try check()
  }

  @Test("Processes: what the README shows of another machine happens word for word, in another directory as well")
  func fromAnotherMachine() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let transcript = try #require(try Self.blocks(below: "From another machine").first)
    let port = try FreePorts.pair()
    var keys: [String: String] = [:]
    var said: [String] = []
    func meant(_ text: String) -> String {
      text.replacing("0.0.0.0:7788", with: "127.0.0.1:\(port)").replacing("HOST:7788", with: "127.0.0.1:\(port)")
        .replacing("HER KEY", with: keys["anna"] ?? "HER KEY").replacing("BROKER KEY", with: keys["broker"] ?? "BROKER KEY")
    }
    for line in transcript {
      guard line.hasPrefix("$ minerva ") else {
        #expect(said == [meant(String(line))], "\(line)")
        continue
      }
      let words = Self.words(line.dropFirst("$ minerva ".count).prefix { $0 != "#" }).map(meant)
      if words.first == "up" {
        try set.startCommand("up", "minerva", words.filter { $0 != "&" } + ["--runtime", set.directory])
        #expect(await set.wait(atMost: .seconds(20)) { (try? minerva(["stack"], in: set).status) == 0 })
        continue
      }
      // A revoked key is shut out as soon as the broker has read its list.
      let isAnswered = words.contains("--connect")
      #expect(
        await set.wait {
          guard let run = try? minerva(words, in: set) else { return false }
          said = (run.output + run.errors).split(separator: "\n").filter { !$0.hasPrefix("  ") }.map(String.init)
          let isRefusal = run.status != 0
          if words.starts(with: ["keys", "new"]) { keys[words[2]] = run.output.split(separator: "\n").first.map(String.init) }
          return isAnswered ? isRefusal == (keys["revoked"] != nil) : !isRefusal
        }, "\(line): \(said)")
      if words.starts(with: ["keys", "revoke"]) { keys["revoked"] = words[2] }
    }
    #expect(try minerva(["keys", "show", "broker"], in: set).output == (keys["broker"] ?? "") + "\n")
    #expect(try minerva(["keys", "new", "anna"], in: set).errors.contains("file.exists"))
    let alone = try minerva(["stack", "--connect", "tcp://127.0.0.1:\(port)", "--key", "anna"], in: set)
    #expect(alone.errors.contains("--server-key is missing"), "\(alone.errors)")
    #expect(
      try minerva(["stack", "--connect", "tcp://127.0.0.1:\(port)", "--key", "nobody"], in: set).errors.contains("no such key here or in"))
    #expect(try minerva(["down"], in: set).status == 0)
  }

  @Test("Processes: the flow of the README holds")
  func flow() async throws {
    let place = try ProcessSet()
    defer { place.end() }
    let text = try #require(try Self.blocks(below: "A flow test in CI").first).joined(separator: "\n") + "\n"
    try text.write(toFile: place.directory + "/settings.flow", atomically: true, encoding: .utf8)
    let run = try ProcessSet.Once.run(
      "minerva", ["run", "settings.flow", "--junit", "out.xml"].map { $0.contains(".") ? "\(place.directory)/\($0)" : $0 },
      within: .seconds(60))
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(RuntimeFiles.text(place.directory + "/out.xml").contains("failures=\"0\""))
  }

  /// A set with the Shop app whose scene has its first screen.
  private func startShop(in set: ProcessSet) async throws {
    try set.startCommand("up", "minerva", ["up", "--app", "shop", "--runtime", set.directory])
    #expect(await set.wait(atMost: .seconds(20)) { (try? minerva(["stack"], in: set).output.contains("Home")) == true })
  }

  @Test("Processes: the plan of a link is the one that the README prints")
  func link() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try await startShop(in: set)
    let transcript = try #require(try Self.blocks(below: "Links").last).filter { !$0.isEmpty }
    let words = Self.words(try #require(transcript.first).dropFirst("$ minerva ".count))
    #expect(try minerva(words, in: set).output == transcript.dropFirst().joined(separator: "\n") + "\n")
    #expect(try minerva(["down"], in: set).status == 0)
  }

  @Test("Processes: a recording and its replay go as the README shows, numbers aside")
  func recording() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try await startShop(in: set)
    let prompt = "main:main> ", file = "\(set.directory)/bug.mrec"
    var typed = "", expected: [String] = [], said = ""
    for line in try #require(try Self.blocks(below: "Recordings and the past").first) where !line.isEmpty {
      if line.hasPrefix(prompt) {
        typed += String(line.dropFirst(prompt.count)) + "\n"
      } else if line.hasPrefix("$ minerva ") {
        said += try ProcessSet.Once.run("minerva", ["shell", "--runtime", set.directory], input: typed.replacing("bug.mrec", with: file))
          .output
        let words = Self.words(line.dropFirst("$ minerva ".count).prefix { $0 != "#" })
        said += try minerva(words.map { $0 == "bug.mrec" ? file : $0 }, in: set).output
      } else {
        expected.append(Self.withoutNumbers(line))
      }
    }
    let lines = said.replacing(file, with: "bug.mrec").split(separator: "\n").map(Self.withoutNumbers)
    #expect(expected.count == 2)
    for line in expected { #expect(lines.contains(line), "\(said)") }
    #expect(try minerva(["down"], in: set).status == 0)
  }

  @Test("Processes: the coordinator of the README is the one that is built, and a host of it counts")
  func coordinator() async throws {
    func bare(_ lines: [Substring]) -> String {
      lines.drop { $0.hasPrefix("import ") || $0.isEmpty }.joined(separator: "\n")
    }
    let shown = bare(try #require(try Self.blocks(below: "A coordinator").first))
    let source = try String(contentsOf: Self.root.appending(path: "Tests/Support/counter-host/Counter.swift"), encoding: .utf8)
    #expect(bare(source.split(separator: "\n", omittingEmptySubsequences: false)) == shown + "\n")

    let set = try ProcessSet()
    defer { set.end() }
    try set.start("broker", "minerva-broker")
    try set.start("counters-1", "counter-host")
    let client = try await set.client()
    #expect(try await set.wait { try await !client.modules().isEmpty })
    let person = Person(client: client)
    let counter = try await person.opens("Counter", input: #"{"start":41}"#)
    try await person.taps("more", on: counter)
    set.kill("counters-1")
    try set.start("counters-1", "counter-host")
    _ = try await person.waits(for: "Counter", set: set)
    #expect(await set.wait { (try? await person.rendering(counter).row("count"))?.text == "42" })
    await client.close()
  }
}
