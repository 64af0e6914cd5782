import Foundation
@testable import MinervaDemo
import MinervaWire
import Testing

private let start = Moment(iso: "2026-03-02T08:00")!

@Suite("Workouts: the store on disk")
struct StoreFileTests {
  private func withFile(_ body: (String) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("minerva-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory.appendingPathComponent("workouts.log").path)
  }

  @Test("What was answered is there after the store was opened again, with the start of the first run")
  func reopened() async throws {
    try await withFile { path in
      do {
        let store = try LocalStore(path: path, start: start)
        try await store.apply(.createAccount(AccountDraft(email: "x@x.com", password: "x")), asking: 22)
        try await store.apply(.deleteWorkout(owner: 3, id: 5), asking: 3)
      }
      let again = try LocalStore(path: path, start: Moment(minutes: 0))
      #expect(await again.start() == start)
      #expect(try await again.signIn(email: "x@x.com", password: "x").id == 23)
      #expect(try await again.workouts(of: 3, asking: 3).count == 49)
    }
  }

  @Test("A torn last line never counted: it is cut, and what follows is whole", arguments: [1, 5, 20])
  func torn(bytes: Int) async throws {
    try await withFile { path in
      do {
        let store = try LocalStore(path: path, start: start)
        try await store.apply(.deleteWorkout(owner: 3, id: 5), asking: 3)
        try await store.apply(.deleteWorkout(owner: 3, id: 6), asking: 3)
      }
      let whole = try Data(contentsOf: URL(fileURLWithPath: path))
      try whole.dropLast(bytes).write(to: URL(fileURLWithPath: path))
      do {
        let store = try LocalStore(path: path, start: start)
        #expect(try await store.workouts(of: 3, asking: 3).map(\.id).filter { $0 < 8 } == [1, 2, 3, 4, 6, 7])
        try await store.apply(.deleteWorkout(owner: 3, id: 7), asking: 3)
      }
      let again = try LocalStore(path: path, start: start)
      #expect(try await again.workouts(of: 3, asking: 3).map(\.id).filter { $0 < 8 } == [1, 2, 3, 4, 6])
    }
  }

  @Test("A damaged line and a path that cannot be opened are said by name")
  func damaged() async throws {
    try await withFile { path in
      try Data("{\"start\":1}\nnonsense\n".utf8).write(to: URL(fileURLWithPath: path))
      #expect(throws: MinervaError.self) { _ = try LocalStore(path: path, start: start) }
      #expect(throws: MinervaError.self) { _ = try LocalStore(path: path + "/not/there", start: start) }
    }
  }
}
