import Minerva
@testable import MinervaDemo
import MinervaWire
import Testing

private let start = Moment(iso: "2026-03-02T08:00")!
private let (admin, manager, user, other) = (22, 21, 3, 4)

@Suite("Workouts: data and rights")
struct WorkoutBookTests {
  @Test("The seed: 22 people, 50 workouts each, eight hours apart, equal in every run")
  func seed() throws {
    let book = WorkoutBook(start: start)
    let people = try book.accounts(asking: admin)
    #expect(people.count == 22)
    #expect(people.map(\.email) == people.map(\.email).sorted())
    #expect(try book.signIn(email: "a@a.com", password: "a").role == .admin)
    #expect(try book.signIn(email: "m@m.com", password: "m") == Account(id: manager, email: "m@m.com", role: .manager, dailyCalories: 2000))
    for n in 1...20 {
      let account = try book.signIn(email: "u\(n)@u.com", password: "\(n)")
      #expect(account.id == n && account.role == .user && (1250...2500).contains(account.dailyCalories))
    }
    let workouts = try book.workouts(of: user, asking: user)
    #expect(workouts.map(\.id) == Array(1...50))
    #expect(workouts.allSatisfy { (1...1250).contains($0.calories) && $0.text == "\($0.id)" })
    #expect(workouts[0].date.iso == "2026-03-02T00:00" && workouts[49].date.minutes == start.minutes - 480 * 50)
    #expect(try WorkoutBook(start: start).workouts(of: 7, asking: 7) == book.workouts(of: 7, asking: 7))
    #expect(book.session(in: "main")?.email == "a@a.com")
  }

  private static func code(_ work: () throws -> Void) -> String? {
    do {
      try work()
      return nil
    } catch {
      return (error as? MinervaError)?.code.rawValue
    }
  }

  @Test(
    "Rights: who may do what, and what everybody else is told",
    arguments: [
      (BookWish.createAccount(AccountDraft(email: "x@x.com", password: "x")), [(admin, nil), (manager, nil), (user, "app.unauthorized")]),
      (
        .createAccount(AccountDraft(email: "x@x.com", password: "x", role: .admin)),
        [(admin, nil), (manager, "app.unauthorized"), (user, "app.unauthorized"), (WorkoutBook.nobody, "app.unauthorized")]
      ),
      (
        .createAccount(AccountDraft(email: "x@x.com", password: "x", role: .manager)),
        [(manager, nil), (WorkoutBook.nobody, "app.unauthorized")]
      ),
      (
        .updateAccount(id: user, email: "n@n.com", dailyCalories: 5),
        [(user, nil), (manager, nil), (admin, nil), (other, "app.unauthorized")]
      ),
      (.deleteAccount(id: user), [(user, nil), (manager, nil), (admin, nil), (other, "app.unauthorized")]),
      (
        .saveWorkout(owner: user, id: 5, WorkoutDraft(date: start, text: "t", calories: 1)),
        [(user, nil), (admin, nil), (manager, "app.unauthorized"), (other, "app.unauthorized")]
      ),
      (.deleteWorkout(owner: user, id: 5), [(user, nil), (admin, nil), (manager, "app.unauthorized")]),
    ] as [(BookWish, [(Int, String?)])])
  func rights(wish: BookWish, outcomes: [(Int, String?)]) {
    let book = WorkoutBook(start: start)
    for (asking, code) in outcomes {
      #expect(Self.code { _ = try book.change(for: wish, asking: asking) } == code, "\(wish) by \(asking)")
    }
  }

  @Test("What a person may read")
  func reading() {
    let book = WorkoutBook(start: start)
    #expect(Self.code { _ = try book.accounts(asking: user) } == "app.unauthorized")
    #expect(Self.code { _ = try book.accounts(asking: manager) } == nil)
    #expect(Self.code { _ = try book.account(other, asking: user) } == "app.unauthorized")
    #expect(Self.code { _ = try book.workouts(of: user, asking: manager) } == "app.unauthorized")
    #expect(Self.code { _ = try book.workouts(of: user, asking: admin) } == nil)
    #expect(Self.code { _ = try book.account(99, asking: admin) } == "app.does_not_exist")
  }

  @Test(
    "Bad values are refused by name",
    arguments: [
      (BookWish.createAccount(AccountDraft(email: "u1@u.com", password: "x")), "app.exists"),
      (.createAccount(AccountDraft(email: "no", password: "x")), "app.invalid_email"),
      (.createAccount(AccountDraft(email: "a@b", password: "x")), "app.invalid_email"),
      (.createAccount(AccountDraft(email: "@b.c", password: "x")), "app.invalid_email"),
      (.createAccount(AccountDraft(email: "a@b..c", password: "x")), "app.invalid_email"),
      (.createAccount(AccountDraft(email: "a b@c.d", password: "x")), "app.invalid_email"),
      (.createAccount(AccountDraft(email: "x@x.com", password: "")), "app.invalid_value"),
      (.updateAccount(id: 3, email: "u1@u.com", dailyCalories: 5), "app.exists"),
      (.updateAccount(id: 3, email: "u3@u.com", dailyCalories: 0), "app.invalid_value"),
      (.updateAccount(id: 99, email: "u3@u.com", dailyCalories: 5), "app.does_not_exist"),
      (.saveWorkout(owner: 3, id: 99, WorkoutDraft(date: start, text: "t", calories: 1)), "app.does_not_exist"),
      (.saveWorkout(owner: 3, id: nil, WorkoutDraft(date: start, text: "t", calories: 0)), "app.invalid_value"),
      (.deleteWorkout(owner: 3, id: 99), "app.does_not_exist"),
    ])
  func values(wish: BookWish, code: String) {
    #expect(Self.code { _ = try WorkoutBook(start: start).change(for: wish, asking: admin) } == code)
  }

  @Test("Wrong email and wrong password are told alike")
  func signIn() {
    let book = WorkoutBook(start: start)
    #expect(Self.code { _ = try book.signIn(email: "u1@u.com", password: "2") } == "app.wrong_credentials")
    #expect(Self.code { _ = try book.signIn(email: "nobody@u.com", password: "1") } == "app.wrong_credentials")
  }

  @Test("Numbers are never used twice, and sessions end with their person")
  func numbers() throws {
    var book = WorkoutBook(start: start)
    func apply(_ wish: BookWish) throws -> BookChange {
      let change = try book.change(for: wish, asking: admin)
      book.apply(change)
      return change
    }
    #expect(
      try apply(.createAccount(AccountDraft(email: "x@x.com", password: "x")))
        == .account(id: 23, AccountDraft(email: "x@x.com", password: "x")))
    _ = try apply(.deleteAccount(id: 23))
    guard case .account(24, _) = try apply(.createAccount(AccountDraft(email: "x@x.com", password: "x"))) else {
      throw MinervaError(.badMessage, "23 again")
    }
    _ = try apply(.deleteWorkout(owner: 3, id: 50))
    guard case .workout(3, 51, _) = try apply(.saveWorkout(owner: 3, id: nil, WorkoutDraft(date: start, text: "t", calories: 1))) else {
      throw MinervaError(.badMessage, "50 again")
    }
    _ = try apply(.openSession(scene: "main", id: 24))
    #expect(book.session(in: "main")?.id == 24 && book.session(in: "second")?.id == admin)
    _ = try apply(.deleteAccount(id: 24))
    #expect(book.session(in: "main") == nil)
    _ = try apply(.closeSession(scene: "second"))
    #expect(book.session(in: "second") == nil)
  }
}

@Suite("Workouts: dates, filters, days")
struct WorkoutDayTests {
  @Test(
    "Dates are read and written, impossible ones refused",
    arguments: [
      ("2026-03-02T08:00", "2026-03-02T08:00"), ("2026-03-02", "2026-03-02T00:00"), ("1969-12-31T23:59", "1969-12-31T23:59"),
      ("2024-02-29", "2024-02-29T00:00"), ("2026-02-29", nil), ("2026-13-01", nil), ("2026-00-10", nil), ("2026-3-2", nil), ("today", nil),
      ("2026-03-02T24:00", nil), ("2026-03-02T08:60", nil), ("2026-03-02T08:00T", nil), ("", nil), ("٢٠٢٦-03-02", nil),
    ] as [(String, String?)])
  func dates(text: String, iso: String?) {
    #expect(Moment(iso: text)?.iso == iso)
  }

  @Test("Weekdays: 2 March 2026 is a Monday")
  func spoken() {
    #expect(Moment(iso: "2026-03-02")?.spoken == "Mon 2 Mar 2026")
    #expect(Moment(iso: "1969-12-31")?.spoken == "Wed 31 Dec 1969")
  }

  @Test("Days: newest first, marked from the daily calories on, by all workouts of the day")
  func days() {
    let day = Moment(iso: "2026-03-02T00:00")!.minutes
    let workouts = [
      Workout(id: 1, date: Moment(minutes: day + 900), text: "late", calories: 600),
      Workout(id: 2, date: Moment(minutes: day + 60), text: "early", calories: 400),
      Workout(id: 3, date: Moment(minutes: day - 60), text: "before", calories: 999),
    ]
    func marks(_ filter: WorkoutFilter = WorkoutFilter(), goal: Int = 1000) -> [[Bool]] {
      WorkoutDays.sections(of: workouts, dailyCalories: goal, filter: filter).map { $0.cells.map { $0.content.marked == true } }
    }
    let sections = WorkoutDays.sections(of: workouts, dailyCalories: 1000, filter: WorkoutFilter())
    #expect(sections.map(\.identifier) == ["2026-03-02", "2026-03-01"])
    #expect(sections[0].header == "Mon 2 Mar 2026" && sections[0].cells.map(\.identifier) == ["1", "2"])
    #expect(marks() == [[true, true], [false]])
    #expect(marks(goal: 1001) == [[false, false], [false]])
    #expect(marks(WorkoutFilter(startTime: "12:00")) == [[true], [false]])
    #expect(marks(WorkoutFilter(startDate: "2026-03-02")) == [[true, true]])
    #expect(marks(WorkoutFilter(endDate: "2026-03-01")) == [[false]])
    #expect(marks(WorkoutFilter(startDate: "2026-03-03")).isEmpty)
  }

  @Test("Filters are spoken")
  func filters() {
    #expect(WorkoutFilter().spoken == "none")
    #expect(WorkoutFilter(startDate: "2026-03-01", endTime: "12:00").spoken == "start date 2026-03-01, end time 12:00")
    for end in WorkoutFilter.End.allCases {
      #expect(end.opposite.opposite == end && end.opposite.isDate == end.isDate && end.opposite.isStart != end.isStart)
    }
  }
}
