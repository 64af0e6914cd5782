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
    let file = duplicate.side == .old ? old : new
    let kind = duplicate.second.item == nil ? "section" : "identifier"
    return MinervaError(
      .diffDuplicate,
      "\(file.path): line \(file.line(duplicate.second)) has the \(kind) \"\(duplicate.id)\" of line \(file.line(duplicate.first)) again")
  }
}
