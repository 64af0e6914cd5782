import MinervaWire

/// A coordinator's way to the list of its own screen.
///
/// The list shows what ``Coordinator/render()`` says, one version after another; these calls are about what is shown *now*. They take effect at
/// once, not with the turn, and nothing of them is journaled. Paths are of a version: one whose rows have changed since is refused with
/// `list.stale`, also while the next version is on its way. Of a list that nobody sees only the values are there: a call that would change what is
/// shown is refused with `list.not_visible`.
public struct ListHandle: Sendable {
  private let link: any CoordinatorLink

  init(link: any CoordinatorLink) {
    self.link = link
  }

  /// Where a row stands, or `nil` when the list shows none with this identifier. O(rows).
  ///
  /// - Parameters:
  ///   - row: The row's identifier.
  ///   - section: The section to look in; the first that has such a row unless given.
  public func indexPath(of row: String, in section: String? = nil) async throws -> ListPath? {
    try await link.list().indexPath(of: row, in: section)
  }

  /// The model that is shown at a path.
  /// - Throws: `list.stale`, `list.no_row`.
  public func cell(at path: ListPath) async throws -> any ListCellModel {
    try await link.list().cell(at: path)
  }

  /// Takes a row out of what is shown; the last one takes its section along.
  ///
  /// The next rendering says whether it stays out: a coordinator that still renders the row brings it back.
  /// - Throws: `list.stale`, `list.no_row`.
  @discardableResult
  public func remove(at path: ListPath, animated: Bool = true) async throws -> ListAnswer {
    try await link.list().remove(at: path, animated: animated)
  }

  /// Scrolls until a row stands at a position of the viewport. No row changes.
  /// - Throws: `list.stale`, `list.no_row`.
  @discardableResult
  public func scroll(to path: ListPath, position: ListAnchor.Position = .top, animated: Bool = true) async throws -> ListAnswer {
    try await link.list().scroll(to: path, position: position, animated: animated)
  }

  /// Has a row measured again: viewers hear of it as an update of that row.
  /// - Throws: `list.stale`, `list.no_row`.
  @discardableResult
  public func invalidateSize(of path: ListPath) async throws -> ListAnswer {
    try await link.list().invalidateSize(of: path)
  }

  /// Has viewers take the list anew as a whole.
  /// - Throws: `list.not_visible`.
  @discardableResult
  public func reload() async throws -> ListAnswer {
    try await link.list().reload()
  }

  /// Returns when no update is in flight: right now, or after the one that is and those that it has been given meanwhile.
  public func afterUpdate() async throws {
    try await link.list().afterUpdate()
  }

  /// Gives the list another size: it is laid out again, which changes what is displayed and no row.
  public func setTraits(_ traits: ListTraits) async throws {
    try await link.list().setTraits(traits)
  }

  /// The version that is shown; 0 before the first.
  public var version: UInt64 {
    get async throws { try await link.list().version }
  }
}

/// What a host offers to the handles of its coordinators' lists.
package protocol ListControlling: Actor {
  var version: UInt64 { get }
  func indexPath(of row: String, in section: String?) -> ListPath?
  func cell(at path: ListPath) throws -> any ListCellModel
  func remove(at path: ListPath, animated: Bool) async throws -> ListAnswer
  func scroll(to path: ListPath, position: ListAnchor.Position, animated: Bool) async throws -> ListAnswer
  func invalidateSize(of path: ListPath) async throws -> ListAnswer
  func reload() async throws -> ListAnswer
  func afterUpdate() async
  func setTraits(_ traits: ListTraits)
}

extension CoordinatorLink {
  /// A link without a list.
  package func list() async throws -> any ListControlling {
    throw MinervaError(.unsupported, "\(screen) has no list here")
  }
}

extension Context {
  /// The list that the screen shows.
  public var list: ListHandle { ListHandle(link: link) }
}
