import Minerva
@testable import MinervaDemo
import MinervaWire
import TestSupport
import Testing

private let start = Moment(iso: "2026-03-02T08:00")!
private let admin = 22

@Suite("Workouts: screens")
struct WorkoutsScreenTests {
  let store = LocalStore(start: start)
  let link = RecordingLink()

  private func row(_ id: String, of screen: Screen) -> CellContent? { ScreenRendering(screen).row(id) }

  @Test("Lifecycle: a cached user opens User, else Welcome; it opens once, also after a resume")
  func lifecycle() async throws {
    let coordinator = LifecycleCoordinator(Context(link: link), store: store)
    try await coordinator.load()
    #expect(link.lastInput() == #"{"userID":22}"#)
    #expect(link.asked() == ["open User root"])
    try await coordinator.load()
    #expect(link.asked().isEmpty)
    try await coordinator.child(ChildEvent(child: ScreenID(2), module: "User", kind: .output(1), payload: Array(#""loggedOut""#.utf8)))
    #expect(link.asked() == ["open Welcome root"])
    #expect(await store.session(in: "main") == nil)
    try await coordinator.child(ChildEvent(child: ScreenID(3), module: "Welcome", kind: .output(1), payload: Array(#"{"userID":3}"#.utf8)))
    #expect(link.asked() == ["open User root"])
    let second = LifecycleCoordinator(Context(link: link), store: store)
    try await second.load()
    #expect(link.lastInput() == #"{"userID":3}"#)
  }

  @Test("SignIn: a missing field and wrong credentials alert; success is the result; the password is no state")
  func signIn() async throws {
    let coordinator = SignInCoordinator(.init(mode: .login), Context(link: link), store: store)
    try await coordinator.handle(.tap("submit"))
    try await coordinator.handle(.enter("email", value: "u3@u.com"))
    try await coordinator.handle(.tap("submit"))
    try await coordinator.handle(.enter("password", value: "wrong"))
    try await coordinator.handle(.tap("submit"))
    #expect(link.asked() == Array(repeating: "open Alert modal:alert", count: 3) && link.ending == .none)
    #expect(row("password", of: await coordinator.render())?.lines(width: 40) == ["Password: •••••"])
    #expect(try String(decoding: await coordinator.encodedState() ?? [], as: UTF8.self) == #"{"email":"u3@u.com"}"#)
    try await coordinator.handle(.enter("password", value: "3"))
    try await coordinator.handle(.tap("submit"))
    #expect(link.ending == .finish(Array(#"{"userID":3}"#.utf8)) && link.asked().isEmpty)
  }

  @Test("SignIn creates accounts of ordinary people")
  func create() async throws {
    let coordinator = SignInCoordinator(.init(mode: .create), Context(link: link), store: store)
    try await coordinator.handle(.enter("email", value: "x@x.com"))
    try await coordinator.handle(.enter("password", value: "x"))
    try await coordinator.handle(.tap("submit"))
    #expect(link.ending == .finish(Array(#"{"userID":23}"#.utf8)))
    #expect(try await store.account(23, asking: 23).role == .user)
  }

  @Test(
    "User: Users is a tab of managers and admins alone",
    arguments: [
      (3, ["Workouts", "Settings"]), (21, ["Workouts", "Users", "Settings"]), (22, ["Workouts", "Users", "Settings"]),
    ])
  func tabs(id: Int, names: [String]) async throws {
    let coordinator = UserCoordinator(.init(userID: id), Context(link: link), store: store)
    try await coordinator.load()
    guard case .tabs(let roots, nil) = try await coordinator.container().kind else { throw MinervaError(.badMessage, "no tabs") }
    #expect(roots.map(\.name) == names)
    #expect(await coordinator.render().tabs.map(\.name) == names)
  }

  @Test("Workouts: filter row, a section a day, editing, deleting, and changes of others by subscription")
  func workouts() async throws {
    let coordinator = WorkoutsCoordinator(.init(userID: 3, asking: admin), Context(link: link), store: store)
    try await coordinator.load()
    var screen = await coordinator.render()
    #expect(screen.title == "u3@u.com" && screen.sections[0].identifier == "filter")
    #expect(screen.sections[1].identifier == "2026-03-02" && screen.sections[1].cells.map(\.identifier) == ["1"])
    #expect(screen.sections.dropFirst().reduce(0) { $0 + $1.cells.count } == 50)
    try await coordinator.handle(.tap("filter"))
    try await coordinator.handle(.tap("5"))
    try await coordinator.handle(.tap("add"))
    try await coordinator.handle(.tap("99"))
    #expect(link.asked() == ["open Filter modal", "open EditWorkout modal", "open EditWorkout modal"])
    try await coordinator.handle(.swipe("5", action: "delete"))
    screen = await coordinator.render()
    #expect(row("5", of: screen) == nil && row("6", of: screen) != nil)
    let filter = #"{"startDate":"2026-03-01"}"#
    try await coordinator.child(ChildEvent(child: ScreenID(4), module: "Filter", kind: .output(1), payload: Array(filter.utf8)))
    screen = await coordinator.render()
    #expect(screen.sections.map(\.identifier) == ["filter", "2026-03-02", "2026-03-01"])
    #expect(row("filter", of: screen)?.detail == "start date 2026-03-01" && link.asked() == ["dismiss s4"])
    try await until { !(await store.watcherCount == 0) }
    try await store.apply(.saveWorkout(owner: 3, id: 1, WorkoutDraft(date: start, text: "changed", calories: 9)), asking: 3)
    #expect(row("1", of: await coordinator.render())?.text == "changed")
  }

  @Test("Workouts in a split tell their parent instead")
  func primary() async throws {
    let coordinator = WorkoutsCoordinator(.init(userID: 3, asking: admin, isPrimary: true), Context(link: link), store: store)
    try await coordinator.load()
    try await coordinator.handle(.tap("5"))
    try await coordinator.handle(.tap("add"))
    #expect(link.outputs == [#"{"workoutID":5}"#, "{}"] && link.asked().isEmpty)
    let split = WorkoutSplitCoordinator(.init(userID: 3, asking: admin), Context(link: link))
    for output in link.outputs {
      try await split.child(ChildEvent(child: ScreenID(2), module: "Workouts", kind: .output(1), payload: Array(output.utf8)))
    }
    #expect(link.asked() == ["open WorkoutDetails detail", "open EditWorkout detail"])
  }

  @Test("UpdateFilter: bounded by the opposite end; the change travels up, Remove removes")
  func updateFilter() async throws {
    let filter = WorkoutFilter(endDate: "2026-02-20")
    let coordinator = UpdateFilterCoordinator(.init(type: .startDate, filter: filter), Context(link: link), store: store)
    try await coordinator.load()
    #expect(row("value", of: await coordinator.render())?.value == "2026-02-20")
    #expect(row("remove", of: await coordinator.render())?.isEnabled == false)
    for bad in ["2026-02-21", "soon", "2026-02-30"] {
      try await coordinator.handle(.enter("value", value: bad))
      try await coordinator.handle(.tap("update"))
    }
    #expect(link.asked().count == 3 && link.outputs.isEmpty)
    try await coordinator.handle(.enter("value", value: "2026-02-10"))
    try await coordinator.handle(.tap("update"))
    try await coordinator.handle(.tap("remove"))
    #expect(link.outputs == [#"{"startDate":"2026-02-10","endDate":"2026-02-20"}"#, #"{"endDate":"2026-02-20"}"#])
  }

  @Test("UserList: rows by user id, + presents the form, rows the split for admins alone, deleting oneself leaves")
  func userList() async throws {
    let manager = UserListCoordinator(.init(asking: 21), Context(link: link), store: store)
    try await manager.load()
    let rows = await manager.render().sections[0].cells
    #expect(rows.count == 22 && rows[0].content.text == "a@a.com" && rows[0].identifier == "22")
    try await manager.handle(.tap("3"))
    #expect(link.asked().isEmpty)
    try await manager.handle(.tap("add"))
    #expect(link.asked() == ["open CreateUser modal"])
    let list = UserListCoordinator(.init(asking: admin), Context(link: link), store: store)
    try await list.load()
    try await list.handle(.tap("3"))
    #expect(link.asked() == ["open WorkoutSplit modal:full"])
    try await list.handle(.swipe("3", action: "delete"))
    #expect(await list.render().sections[0].cells.count == 21 && link.outputs.isEmpty)
    try await list.handle(.swipe("22", action: "delete"))
    #expect(link.outputs == [#""deleted""#])
  }

  @Test("CreateUser: Save stores and dismisses; a refusal alerts and the form stays as it is")
  func createUser() async throws {
    let coordinator = CreateUserCoordinator(.init(asking: 21), Context(link: link), store: store)
    for (field, value) in [("email", "u1@u.com"), ("calories", "1800"), ("password", "x"), ("role", "admin")] {
      try await coordinator.handle(.enter(field, value: value))
    }
    try await coordinator.handle(.tap("save"))
    try await coordinator.handle(.enter("role", value: "user"))
    try await coordinator.handle(.tap("save"))
    #expect(link.asked() == ["open Alert modal:alert", "open Alert modal:alert"])
    try await coordinator.handle(.enter("email", value: "x@x.com"))
    try await coordinator.handle(.tap("save"))
    #expect(link.asked() == ["dismiss s1"])
    #expect(try await store.account(23, asking: admin) == Account(id: 23, email: "x@x.com", role: .user, dailyCalories: 1800))
  }

  @Test("EditWorkout: not in the future by the scene's clock, then stored, then gone")
  func editWorkout() async throws {
    let coordinator = EditWorkoutCoordinator(.init(userID: 3, asking: 3, workoutID: 5), Context(link: link), store: store)
    try await coordinator.load()
    #expect(row("date", of: await coordinator.render())?.value == "2026-02-28T16:00")
    try await coordinator.handle(.enter("date", value: "2026-03-02T09:00"))
    try await coordinator.handle(.tap("save"))
    #expect(link.asked() == ["open Alert modal:alert"])
    link.now = SceneTime(milliseconds: 3_600_000)
    try await coordinator.handle(.enter("calories", value: "777"))
    try await coordinator.handle(.tap("save"))
    #expect(link.asked() == ["close s1"])
    let stored = try await store.workouts(of: 3, asking: 3).first { $0.id == 5 }
    #expect(stored?.calories == 777 && stored?.date.iso == "2026-03-02T09:00")
    await #expect(throws: MinervaError.self) {
      try await EditWorkoutCoordinator(.init(userID: 3, asking: 3, workoutID: 99), Context(link: link), store: store).load()
    }
  }

  @Test("Settings: rows follow the store; logout and deleting oneself are told")
  func settings() async throws {
    let coordinator = SettingsCoordinator(.init(userID: 3), Context(link: link), store: store)
    try await coordinator.load()
    try await until { !(await store.watcherCount == 0) }
    try await store.apply(.updateAccount(id: 3, email: "new@u.com", dailyCalories: 1234), asking: 3)
    #expect(row("name", of: await coordinator.render())?.detail == "new@u.com")
    try await coordinator.handle(.tap("calories"))
    #expect(link.asked() == ["open UpdateUser modal"])
    try await coordinator.handle(.tap("logout"))
    try await coordinator.handle(.tap("delete"))
    #expect(link.outputs == [#""loggedOut""#, #""deleted""#])
  }

  @Test("History: 200,000 rows on demand, the same in every process")
  func history() async throws {
    let coordinator = HistoryCoordinator(.init(rows: 1000), Context(link: link))
    #expect(await coordinator.render().sections[0].cells.isEmpty)
    await coordinator.handle(.tap("load"))
    #expect(await coordinator.render().sections[0].cells.count == 1000)
    await coordinator.handle(.tap("stir"))
    let ids = await coordinator.render().sections[0].cells.map(\.identifier)
    #expect(Set(ids).count == 1000 && ids.prefix(3) == ["h1", "h101", "h201"])
  }
}
