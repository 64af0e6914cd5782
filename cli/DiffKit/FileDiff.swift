package import ListDiff
package import MinervaWire

/// What a diff of two files gave.
package enum FileChanges: Sendable {
  case flat(ChangeSet)
  case sectioned(SectionedChangeSet)

  package var isEmpty: Bool {
    switch self {
    case .flat(let changes): changes.isEmpty
    case .sectioned(let changes): changes.isEmpty
    }
  }
}

/// The sequential script of a diff of files.
package enum FileSteps: Sendable {
  case flat([ChangeSet.Step])
  case sectioned([SectionedChangeSet.Step])

  package init(_ changes: FileChanges) {
    switch changes {
    case .flat(let changes): self = .flat(changes.steps)
    case .sectioned(let changes): self = .sectioned(changes.steps)
    }
  }

  package var count: Int {
    switch self {
    case .flat(let steps): steps.count
    case .sectioned(let steps): steps.count
    }
  }
}

/// Diffs two files; who computes is somebody else's choice, so that a worker can take the place of this process.
package struct FileDiff: Sendable {
  package let old: ListFile
  package let new: ListFile

  package init(old: ListFile, new: ListFile) {
    self.old = old
    self.new = new
  }

  /// Computes the changes in this process.
  ///
  /// - Throws: `diff.duplicate` with both lines under the policy `reject`; `file.too_large`.
  package func changes(_ options: Differ.Options) throws(MinervaError) -> FileChanges {
    do throws(DiffError) {
      let differ = Differ(options)
      if old.sections == nil { return .flat(try differ.changes(from: old.rows, to: new.rows)) }
      return .sectioned(try differ.changes(from: old.sectioned(), to: new.sectioned()))
    } catch {
      throw stated(error)
    }
  }

  /// The differ's error in terms of files and lines.
  package func stated(_ error: DiffError) -> MinervaError {
    guard let duplicate = error.duplicate else {
      return MinervaError(error.code == .tooLarge ? .fileTooLarge : .diffCheckFailed, error.message)
    }
    return stated(duplicate.id, inOld: duplicate.side == .old, duplicate.first, duplicate.second)
  }

  /// A worker's word about a duplicate, in terms of files and lines: `id`, `side`, and the places `first` and `second`.
  package func stated(duplicate details: [String: String]) -> MinervaError? {
    guard let id = details["id"], let side = details["side"], let first = details["first"].flatMap(Self.place),
      let second = details["second"].flatMap(Self.place)
    else { return nil }
    return stated(id, inOld: side == DiffError.Side.old.rawValue, first, second)
  }

  private func stated(_ id: String, inOld: Bool, _ first: DiffError.Place, _ second: DiffError.Place) -> MinervaError {
    let file = inOld ? old : new
    let kind = second.item == nil ? "section" : "identifier"
    return MinervaError(
      .diffDuplicate, "\(file.path): line \(file.line(second)) has the \(kind) \"\(id)\" of line \(file.line(first)) again")
  }

  /// A place as it is printed: `4`, `section 2` or `2.4`.
  private static func place(_ text: String) -> DiffError.Place? {
    if let section = text.split(separator: " ").dropFirst().first { return Int(section).map { DiffError.Place(section: $0) } }
    let numbers = text.split(separator: ".").compactMap { Int($0) }
    switch numbers.count {
    case 1: return DiffError.Place(item: numbers[0])
    case 2: return DiffError.Place(section: numbers[0], item: numbers[1])
    default: return nil
    }
  }
}
