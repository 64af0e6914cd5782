import Foundation
import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaTesting
import Testing

/// What people type where nobody may look (P4).
@Suite("Real processes keep secrets", .serialized, .oneAtATime)
struct SecretTests {
  private static let password = "correct-horse-battery"

  @Test("Processes: a password reaches its coordinator, and neither journal, events, logs nor renderings hold it (P4)")
  func password() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.startAll(app: "workouts", hosts: 1, workers: 1)
    let person = Person(client: try await set.client())
    #expect(await set.wait { ((try? await person.client.modules().isEmpty) ?? true) == false })
    _ = try await person.waits(for: "User", set: set)
    let seen = Shared<[String]>([])
    let updates = try await person.client.watch()
    let watching = Task {
      for await update in updates { if case .event(let event) = update { seen.change { $0.append("\(event)") } } }
    }
    try await person.does(.selectTab(name: "Settings", of: nil, reset: false))
    try await person.taps("logout", on: try await person.waits(for: "Settings", set: set))
    try await person.taps("login", on: try await person.waits(for: "Welcome", set: set))
    let form = try await person.waits(for: "SignIn", set: set)
    try await person.enters("nobody@example.com", into: "email", on: form)
    try await person.enters(Self.password, into: "password", on: form)
    // A slip of the finger is no less secret.
    await #expect(throws: (any Error).self) { try await person.enters(Self.password, into: "pasword", on: form) }
    // The coordinator has it: what it shows is as long.
    #expect(await set.wait { (try? await person.field("password", on: form))?.count == Self.password.count })
    try await person.taps("submit", on: form)
    #expect(await set.wait { seen.value.contains { $0.contains("SignIn") } })
    watching.cancel()
    #expect(!seen.value.contains { $0.contains(Self.password) })
    let files = try #require(FileManager.default.enumerator(atPath: set.directory))
    var names: [String] = []
    var recorded = false
    for case let name as String in files {
      guard let data = FileManager.default.contents(atPath: "\(set.directory)/\(name)") else { continue }
      names.append(name)
      #expect(data.range(of: Data(Self.password.utf8)) == nil, "\(name) holds the password")
      // What is no secret is there: the search can find something.
      recorded = recorded || data.range(of: Data("nobody@example.com".utf8)) != nil
    }
    #expect(recorded, "no file of \(names) holds what was recorded")
    await person.client.close()
  }
}
