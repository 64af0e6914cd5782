import Minerva
import MinervaInterfaces

/// What an earlier life of a screen showed, and a way to draw it again.
///
/// A host that resumes a screen has none of the rows that viewers have. The broker keeps the state they were drawn from and their digest:
/// drawn again and found the same, they are what the next change set starts from.
struct EarlierLife: Sendable {
  let shown: ShownList
  private let draw: @Sendable () async throws -> Screen

  init(shown: ShownList, draw: @escaping @Sendable () async throws -> Screen) {
    self.shown = shown
    self.draw = draw
  }

  /// The rows that viewers have, or `nil` when they can't be made again: what they were drawn from may have changed since.
  /// - Parameter now: What is drawn now, which is most often the same.
  func rows(or now: ListUpdate) async -> ListUpdate? {
    if now.digest == shown.digest { return now }
    guard let screen = try? await draw(), let earlier = try? ListUpdate(screen) else { return nil }
    return earlier.digest == shown.digest ? earlier : nil
  }
}
