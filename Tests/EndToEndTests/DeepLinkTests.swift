import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaTesting
import MinervaWire
import Testing

/// Links through real processes (R1-R6, A06).
@Suite("Real processes follow links", .serialized, .oneAtATime)
struct DeepLinkTests {
  private func code(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? MinervaError)?.code.rawValue
    }
  }

  private func stacks(_ person: Person) async throws -> [[String]] {
    try await person.client.snapshot(of: person.scene).tree.layers.map { $0.stack.map(\.module) }
  }

  @Test("Processes: a link opens what is missing, keeps what is there, and dismisses what covers it (A06, R2, R5)")
  func shop() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.startAll(hosts: 2)
    let person = Person(client: try await set.client())
    #expect(await set.wait { (try? await person.client.routes().isEmpty) == false })
    _ = try await person.waits(for: "Home", set: set)
    let item = "app://shop/orders/9/items/4"
    let dry = try await person.client.follow(item, isDryRun: true)
    #expect(
      dry.plan.map(\.description)
        == ["keep s2 Home", "push Shell{}", "tab orders (start Orders)", #"push Order{"id":9}"#, #"push Item{"id":4}"#].map {
          $0.hasPrefix("push Shell") ? "push Shell" : $0
        })
    let first = try await person.client.follow(item)
    #expect(first.answer?.outcome.presented.map(\.module).contains("Item") == true)
    let order = try #require(first.answer?.outcome.presented.first { $0.module == "Order" }?.screen)
    // A sheet with a screen of its own covers all; the target is in the tree, under another one.
    let sheet = try await person.opens("Profile", via: .modal(.sheet), input: #"{"userID":1}"#)
    let deeper = try await person.opens("Detail", input: #"{"id":1}"#)
    let back = try #require(try await person.client.follow("app://shop/orders/9").answer)
    #expect(back.outcome.removed.prefix(2).map(\.screen) == [deeper, sheet])
    #expect(back.outcome.removed.filter { $0.screen == sheet || $0.screen == deeper }.allSatisfy { $0.reason == .dismissed })
    #expect(try await person.client.coordinators().first { $0.summary.screen == order }?.isVisible == true)
    // Never silence: again is no change, and what does not match says so.
    #expect(try await person.client.follow("APP://Shop/orders/9/").answer?.outcome.changed == false)
    #expect(await code { _ = try await person.client.follow("app://shop/orders/9/itmes/4") } == "route.no_match")
    #expect(await code { _ = try await person.client.follow("app://shop/orders/%") } == "route.invalid_url")
    #expect(await code { _ = try await person.client.follow("app://shop/orders/nine") } == "input.invalid")
    #expect(try await stacks(person) == [["Home", "Shell"]])
    await person.client.close()
  }

  @Test("Processes: a link waits for a sign-in, survives a killed broker, and goes on to where it led (R4)")
  func waits() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.startAll(app: "workouts", hosts: 1, workers: 1)
    let person = Person(client: try await set.client())
    #expect(await set.wait { (try? await person.client.routes().isEmpty) == false })
    _ = try await person.waits(for: "User", set: set)
    try await person.does(.selectTab(name: "Settings", of: nil, reset: false))
    try await person.taps("logout", on: try await person.waits(for: "Settings", set: set))
    _ = try await person.waits(for: "Welcome", set: set)
    let plan = try #require(try await person.client.follow("app://workouts/users/3").answer?.outcome.plan)
    #expect(plan.module == "SignIn")
    #expect(try await person.client.snapshot().plans.map(\.id) == [plan.id])
    set.kill("broker")
    try set.start("broker", "minerva-broker")
    let form = try await person.waits(for: "SignIn", set: set)
    #expect(await set.wait { (try? await person.rendering(form)) != nil })
    try await person.enters("a@a.com", into: "email", on: form)
    try await person.enters("a", into: "password", on: form)
    try await person.taps("submit", on: form)
    _ = try await person.waits(for: "WorkoutSplit", set: set)
    #expect(try await stacks(person) == [["User"], ["WorkoutSplit"]])
    #expect(try await person.client.snapshot().plans.isEmpty)
    // The owner of the route knows who asks, and whom there is.
    #expect(await code { _ = try await person.client.follow("app://workouts/users/999") } == "app.does_not_exist")
    await person.client.close()
  }
}
