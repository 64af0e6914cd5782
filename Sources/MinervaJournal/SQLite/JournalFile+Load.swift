internal import MinervaWire

/// Reading scenes back.
extension JournalFile {
  /// Reads a scene's snapshot at or before `limit` and the records after it, by walking back from the end.
  ///
  /// - Throws: `time.out_of_range` when the past does not reach back that far; `journal.corrupt` for anything that is not as
  ///   it was written, and for the present state of a scene always: that is never let go.
  func load(_ name: String, upTo limit: UInt64?) throws(MinervaError) -> JournaledScene? {
    guard let head = heads[name] else { return nil }
    let last = min(limit ?? .max, head.sequence)
    do {
      let (found, skipped) = try readSnapshot(name, head, upTo: last)
      let records = try readRecords(of: name, head, after: found?.sequence ?? 0, upTo: last, skipped: skipped)
      return JournaledScene(scene: name, snapshot: found, records: records)
    } catch let failure as SQLiteFailure {
      throw MinervaError(failure.isDamage ? .journalCorrupt : .journalFile, "cannot read scene \(name): \(failure.message)")
    } catch let failure as MinervaError {
      throw failure
    } catch {
      throw MinervaError(.journalFile, "cannot read scene \(name): \(error)")
    }
  }

  /// Reads the records of a scene behind one number and up to another, whatever snapshots there are.
  ///
  /// - Throws: As `load` does; `time.out_of_range` when one of them is not kept any more.
  func records(_ name: String, after covered: UInt64, upTo limit: UInt64) throws(MinervaError) -> [JournalEntry] {
    guard let head = heads[name], covered < min(limit, head.sequence) else { return [] }
    do {
      return try readRecords(of: name, head, after: covered, upTo: min(limit, head.sequence), skipped: nil, isPast: true)
    } catch let failure as SQLiteFailure {
      throw MinervaError(failure.isDamage ? .journalCorrupt : .journalFile, "cannot read scene \(name): \(failure.message)")
    } catch let failure as MinervaError {
      throw failure
    } catch {
      throw MinervaError(.journalFile, "cannot read scene \(name): \(error)")
    }
  }

  /// Walks back from the last of them, or from the nearest snapshot behind it.
  /// - Parameter isPast: Whether retention may have let go of them: they are not what the scene needs to come back.
  private func readRecords(
    of name: String, _ head: Head, after covered: UInt64, upTo last: UInt64, skipped: UInt64?, isPast: Bool = false
  ) throws -> [JournalEntry] {
    var records: [JournalEntry] = []
    var row = head.row
    // The number expected at the row; unknown only where the walk begins at a later snapshot.
    var sequence: UInt64? = head.sequence
    if last < head.sequence {
      // Begin at the nearest snapshot after it, not at the end.
      selectNextSnapshot.bind(1, head.id)
      selectNextSnapshot.bind(2, Int64(bitPattern: last))
      if try selectNextSnapshot.step(), selectNextSnapshot.integer(0) > 0 {
        row = selectNextSnapshot.integer(0)
        sequence = nil
      }
      selectNextSnapshot.reset()
    }
    while covered < last && (sequence.map { $0 > covered } ?? true) {
      selectRecord.bind(1, row)
      guard row > 0, try selectRecord.step() else {
        throw missing(sequence ?? last, of: name, isPresent: !isPast && last == head.sequence, skipped: skipped)
      }
      defer { selectRecord.reset() }
      let number = UInt64(bitPattern: selectRecord.integer(1))
      guard selectRecord.integer(0) == head.id, sequence == nil || number == sequence else {
        throw MinervaError(.journalCorrupt, "row \(row) is not record \(sequence ?? last) of scene \(name); run: minerva journal verify")
      }
      if number <= covered { break }
      if number <= last {
        let body = selectRecord.blob(4)
        guard Checksum.of(body, scene: head.id, sequence: Int64(bitPattern: number)) == selectRecord.integer(3) else {
          throw MinervaError(.journalCorrupt, "the checksum of record \(number) of scene \(name) differs; run: minerva journal verify")
        }
        records.append(JournalEntry(scene: name, sequence: number, record: body))
      }
      row = selectRecord.integer(2)
      sequence = number - 1
    }
    records.reverse()
    return records
  }

  private func missing(_ sequence: UInt64, of name: String, isPresent: Bool, skipped: UInt64?) -> MinervaError {
    if let skipped {
      return MinervaError(
        .journalCorrupt, "the checksum of the snapshot of scene \(name) at \(skipped) differs; run: minerva journal verify")
    }
    if isPresent { return MinervaError(.journalCorrupt, "record \(sequence) of scene \(name) is missing; run: minerva journal verify") }
    return MinervaError(.timeOutOfRange, "records of scene \(name) up to \(sequence) are not kept any more")
  }

  /// The latest whole snapshot; damaged ones are passed over, the records behind them may still be there.
  private func readSnapshot(_ name: String, _ head: Head, upTo last: UInt64) throws -> (whole: JournalSnapshot?, skipped: UInt64?) {
    var skipped: UInt64?
    selectSnapshot.bind(1, head.id)
    selectSnapshot.bind(2, Int64(bitPattern: last))
    defer { selectSnapshot.reset() }
    while try selectSnapshot.step() {
      let sequence = UInt64(bitPattern: selectSnapshot.integer(0))
      let sum = selectSnapshot.withBlob(2) { Checksum.of($0, scene: head.id, sequence: Int64(bitPattern: sequence)) }
      if sum == selectSnapshot.integer(1) {
        return (JournalSnapshot(scene: name, sequence: sequence, bytes: selectSnapshot.blob(2)), skipped)
      }
      skipped = skipped ?? sequence
    }
    return (nil, skipped)
  }
}
