@testable import DiffService
import MinervaInterfaces
import MinervaWire
import Testing

/// Lists that are held between jobs, pieces that come in, answers that go out, and the memory of all of them.
@Suite("The diff worker's shelf")
struct DiffShelfTests {
  private let anna = Samples.anna
  private let bert = Samples.bert

  private func job(_ id: String, old: DiffSide, _ new: DiffRows, list: String = "users", version: UInt64? = nil) -> DiffJob {
    DiffJob(id: id, old: old, new: .rows(new), list: DiffList(list, version: version))
  }

  /// Has a job done at once.
  @discardableResult
  private func run(_ shelf: inout DiffShelf, _ job: DiffJob, of owner: DiffShelf.Owner = Samples.anna, answer: [UInt8] = [1]) throws
    -> (work: DiffShelf.Work, beginning: [UInt8], held: UInt64?)
  {
    let work = try shelf.admit(job, of: owner, at: 0)
    let (beginning, held) = try shelf.answered(work.key, answer, at: 0)
    return (work, beginning, held)
  }

  @Test("A list is kept as the version that its job gave it, and stands for the old rows of the next")
  func held() throws {
    var shelf = DiffShelf(limits: DiffLimits())
    let (one, two) = (Samples.rows(0..<10), Samples.rows(5..<20))
    #expect(try run(&shelf, job("1", old: .rows(DiffRows()), one, version: 1)).held == 1)
    #expect(shelf.status.lists == 1)
    let next = try run(&shelf, job("2", old: .held(version: 1), two, version: 2))
    #expect(next.work.old == one && next.work.new == two && next.held == 2)
    #expect(try run(&shelf, job("3", old: .held(version: 2), one, version: 3)).work.old == two)
    // A job that names a list and no version leaves what is held.
    #expect(try run(&shelf, job("4", old: .held(version: 3), two)).held == nil)
    #expect(try run(&shelf, job("5", old: .held(version: 3), two, version: 4)).work.old == one)
  }

  @Test("Another version is list.stale and says which is held; so is a list that is not here, was forgotten, or is another caller's")
  func stale() throws {
    var shelf = DiffShelf(limits: DiffLimits())
    try run(&shelf, job("1", old: .rows(DiffRows()), Samples.rows(0..<10), version: 5))
    func refusal(_ side: DiffSide, list: String = "users", of owner: DiffShelf.Owner = Samples.anna) -> [String?] {
      do {
        _ = try shelf.admit(job("2", old: side, Samples.rows([1]), list: list, version: 9), of: owner, at: 0)
        return ["admitted"]
      } catch {
        return [error.code.rawValue, error.details["held"]]
      }
    }
    #expect(refusal(.held(version: 4)) == ["list.stale", "5"])
    #expect(refusal(.held(version: 6)) == ["list.stale", "5"])
    #expect(refusal(.held(version: 5), list: "others") == ["list.stale", "none"])
    #expect(refusal(.held(version: 5), of: bert) == ["list.stale", "none"])
    #expect(shelf.status.jobs == 0)
    shelf.forget("users", of: bert)
    #expect(shelf.status.lists == 1)
    shelf.forget("users", of: anna)
    #expect(refusal(.held(version: 5)) == ["list.stale", "none"])
    #expect(shelf.status.bytes == 0 && shelf.status.lists == 0)
  }

  @Test("An older version never takes the place of a newer one, whenever its job ends")
  func order() throws {
    var shelf = DiffShelf(limits: DiffLimits())
    let older = try shelf.admit(job("1", old: .rows(DiffRows()), Samples.rows([1]), version: 1), of: anna, at: 0)
    let newer = try shelf.admit(job("2", old: .rows(DiffRows()), Samples.rows([2]), version: 2), of: anna, at: 0)
    #expect(newer.superseded == [older.key])
    #expect(try shelf.answered(newer.key, [], at: 0).held == 2)
    #expect(try shelf.answered(older.key, [], at: 0).held == 2)
    #expect(try run(&shelf, job("3", old: .held(version: 2), Samples.rows([3]))).work.old == Samples.rows([2]))
  }

  @Test("The least recently used list makes room, its caller is told why, and one in use stays")
  func leastRecentlyUsed() throws {
    let rows = Samples.rows(0..<100)
    // Room for three lists of 100 rows.
    var shelf = DiffShelf(limits: DiffLimits(bytes: 1 << 20, listBytes: 3 * (rows.byteCount + 200)))
    for name in ["a", "b", "c"] { try run(&shelf, job(name, old: .rows(DiffRows()), rows, list: name, version: 1)) }
    // Used again, so that b is the oldest.
    try run(&shelf, job("again", old: .held(version: 1), Samples.rows([1]), list: "a"))
    try run(&shelf, job("d", old: .rows(DiffRows()), rows, list: "d", version: 1))
    #expect(shelf.status.lists == 3 && shelf.status.dropped == 1)
    do {
      _ = try shelf.admit(job("b2", old: .held(version: 1), rows, list: "b", version: 2), of: anna, at: 0)
      Issue.record("b is held")
    } catch {
      #expect(error.code == .listStale && error.message.contains("dropped to make room"), "\(error)")
    }
    // All three are in use: a fourth is answered, and not kept.
    for name in ["a", "c", "d"] { _ = try shelf.admit(job("use \(name)", old: .held(version: 1), rows, list: name), of: anna, at: 0) }
    #expect(try run(&shelf, job("e", old: .rows(DiffRows()), rows, list: "e", version: 1)).held == nil)
    #expect(shelf.status.lists == 3)
  }

  @Test("Jobs take the room of lists that nobody uses; without them there is none, and no list is dropped in vain")
  func jobsBeforeLists() throws {
    let rows = Samples.rows(0..<100)
    var shelf = DiffShelf(limits: DiffLimits(bytes: 10_000, listBytes: 5_000))
    try run(&shelf, job("1", old: .rows(DiffRows()), rows, version: 1))
    #expect(shelf.status.lists == 1)
    _ = try shelf.admit(DiffJob(id: "2", old: rows, new: rows), of: anna, at: 0)
    #expect(code { _ = try shelf.admit(DiffJob(id: "3", old: Samples.rows(0..<150), new: rows), of: anna, at: 0) } == .backpressure)
    #expect(shelf.status.turnedAway == 1 && shelf.status.bytes <= 10_000)
    let kept = shelf.status.lists
    #expect(code { _ = try shelf.admit(DiffJob(id: "4", old: Samples.rows(0..<150), new: rows), of: anna, at: 0) } == .backpressure)
    #expect(shelf.status.lists == kept)
    #expect(shelf.status.mostBytes <= 10_000)
  }

  @Test("A list in pieces is the list; pieces out of order, twice, too many, or of another kind end the job's arrival")
  func pieces() throws {
    for list in [
      Samples.rows(0..<500, content: 3), Samples.withContents(0..<500),
      Samples.sectioned([("A", Array(0..<300)), ("B", Array(300..<500))]),
    ] {
      for size in [1, 100, 1_000, 1 << 20] {
        var shelf = DiffShelf(limits: DiffLimits())
        let pieces = list.pieces(of: size)
        #expect(size > 1_000 || pieces.count > 4)
        for (number, piece) in pieces.enumerated() {
          try shelf.take(DiffPiece(job: "1", side: .new, number: number, rows: piece), of: anna, at: 0)
        }
        let work = try shelf.admit(DiffJob(id: "1", old: .rows(DiffRows()), new: .sent(pieces: pieces.count)), of: anna, at: 0)
        #expect(work.new == list)
        shelf.ended(work.key)
        #expect(shelf.status.bytes == 0)
      }
    }
    let piece = Samples.rows(0..<10)
    func refusal(_ numbers: [Int], _ rows: [DiffRows], announced: Int) -> MinervaError.Code? {
      var shelf = DiffShelf(limits: DiffLimits())
      let refusal = code {
        for (number, rows) in zip(numbers, rows) {
          try shelf.take(DiffPiece(job: "1", side: .old, number: number, rows: rows), of: anna, at: 0)
        }
        _ = try shelf.admit(DiffJob(id: "1", old: .sent(pieces: announced), new: .rows(piece)), of: anna, at: 0)
      }
      #expect(refusal == nil || shelf.status.bytes == 0, "what was refused is not kept")
      return refusal
    }
    #expect(refusal([0, 1], [piece, piece], announced: 2) == nil)
    #expect(refusal([1], [piece], announced: 1) == .badMessage)
    #expect(refusal([0, 0], [piece, piece], announced: 2) == .badMessage)
    #expect(refusal([0, 2], [piece, piece], announced: 2) == .badMessage)
    #expect(refusal([0], [piece], announced: 2) == .badMessage)
    #expect(refusal([], [], announced: 1) == .badMessage)
    #expect(refusal([0, 1], [piece, Samples.withContents([1])], announced: 2) == .badMessage)
  }

  @Test("Pieces are counted before they are kept: the largest job, all jobs, and how many come in at a time")
  func pieceLimits() throws {
    let piece = Samples.rows(0..<100)
    var shelf = DiffShelf(limits: DiffLimits(jobBytes: 4 * piece.byteCount, bytes: 8 * piece.byteCount, incoming: 3))
    func take(_ job: String, _ number: Int, of owner: DiffShelf.Owner) -> MinervaError.Code? {
      code { try shelf.take(DiffPiece(job: job, side: .old, number: number, rows: piece), of: owner, at: 0) }
    }
    for number in 0..<4 { #expect(take("1", number, of: anna) == nil) }
    #expect(take("1", 4, of: anna) == .tooLarge)
    #expect(shelf.status.bytes == 0)
    for number in 0..<4 { #expect(take("1", number, of: anna) == nil && take("2", number, of: anna) == nil) }
    #expect(take("1", 0, of: bert) == .backpressure)
    shelf.lost(anna)
    for job in 0..<3 { #expect(take("\(job)", 0, of: anna) == nil) }
    #expect(take("one too many", 0, of: anna) == .backpressure)
    #expect(take("1", 0, of: bert) == nil)
    // Nobody sends the jobs.
    shelf.sweep(at: 29_999)
    #expect(shelf.status.bytes == 4 * piece.byteCount)
    shelf.sweep(at: 30_000)
    #expect(shelf.status.bytes == 0)
  }

  @Test("Names are bounded: what is kept of a caller beside its lists is small")
  func nameLimits() {
    var shelf = DiffShelf(limits: DiffLimits(nameBytes: 8))
    let (good, bad) = ("12345678", "123456789")
    func piece(_ name: String) -> MinervaError.Code? {
      code { try shelf.take(DiffPiece(job: name, side: .old, number: 0, rows: DiffRows()), of: anna, at: 0) }
    }
    #expect(piece(bad) == .tooLarge && piece(good) == nil)
    #expect(code { _ = try shelf.admit(job(bad, old: .rows(DiffRows()), DiffRows()), of: bert, at: 0) } == .tooLarge)
    #expect(code { _ = try shelf.admit(job(good, old: .rows(DiffRows()), DiffRows(), list: bad), of: bert, at: 0) } == .tooLarge)
    #expect(code { _ = try shelf.admit(job(good, old: .rows(DiffRows()), DiffRows(), list: good), of: bert, at: 0) } == nil)
  }

  @Test("A large answer goes out in chunks and is forgotten with the last one, or when nobody fetches it")
  func answers() throws {
    var shelf = DiffShelf(limits: DiffLimits())
    let answer = (0..<(DiffAnswer.chunk * 2 + 5)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var whole = try run(&shelf, DiffJob(id: "1", old: DiffRows(), new: DiffRows()), answer: answer).beginning
    #expect(whole.count == DiffAnswer.chunk)
    #expect(code { _ = try shelf.rest(of: "1", from: whole.count, owner: bert) } == .badMessage)
    #expect(code { _ = try shelf.rest(of: "1", from: -1, owner: anna) } == .badMessage)
    #expect(code { _ = try shelf.rest(of: "1", from: answer.count, owner: anna) } == .badMessage)
    while whole.count < answer.count { whole += try shelf.rest(of: "1", from: whole.count, owner: anna) }
    #expect(whole == answer && shelf.status.bytes == 0)
    #expect(code { _ = try shelf.rest(of: "1", from: 0, owner: anna) } == .badMessage)
    _ = try run(&shelf, DiffJob(id: "2", old: DiffRows(), new: DiffRows()), answer: answer)
    #expect(shelf.status.bytes == answer.count)
    shelf.sweep(at: 30_000)
    #expect(shelf.status.bytes == 0)
  }

  @Test("Whatever callers do, in whatever order, memory stays under its limit and comes back to nothing")
  func anything() throws {
    for round in 0..<60 {
      let seed = Samples.seed &+ UInt64(round)
      var chance = SplitMix64(seed: seed)
      var shelf = DiffShelf(limits: DiffLimits(jobBytes: 20_000, bytes: 60_000, listBytes: 25_000, lists: 6, incoming: 4))
      var open: [DiffShelf.JobKey] = []
      var versions: [UInt64] = [0, 0, 0]
      let owners = [anna, bert]
      for step in 0..<300 {
        let owner = owners.randomElement(using: &chance) ?? anna
        let list = Int.random(in: 0..<3, using: &chance)
        let rows = Samples.rows(0..<Int.random(in: 0...200, using: &chance))
        switch Int.random(in: 0..<10, using: &chance) {
        case 0...2:
          versions[list] += 1
          let old: DiffSide = Bool.random(using: &chance) ? .held(version: versions[list] - 1) : .rows(rows)
          let job = DiffJob(id: "\(step)", old: old, new: .rows(rows), list: DiffList("list \(list)", version: versions[list]))
          if let work = try? shelf.admit(job, of: owner, at: Int64(step)) { open.append(work.key) }
        case 3, 4:
          let piece = DiffPiece(job: "p\(step % 7)", side: Bool.random(using: &chance) ? .old : .new, number: step % 2, rows: rows)
          _ = code { try shelf.take(piece, of: owner, at: Int64(step)) }
        case 5:
          let job = DiffJob(id: "p\(step % 7)", old: .sent(pieces: 1), new: .rows(rows))
          if let work = try? shelf.admit(job, of: owner, at: Int64(step)) { open.append(work.key) }
        case 6, 7:
          guard !open.isEmpty else { break }
          let key = open.remove(at: Int.random(in: 0..<open.count, using: &chance))
          if Bool.random(using: &chance) {
            if (try? shelf.answered(key, [UInt8](repeating: 1, count: 10), at: Int64(step))) == nil { shelf.ended(key) }
          } else {
            shelf.ended(key)
          }
        case 8: shelf.forget("list \(list)", of: owner)
        default: if step % 5 == 0 { shelf.lost(owner) } else { shelf.sweep(at: Int64(step) * 1_000) }
        }
        #expect(shelf.status.bytes <= 60_000 && shelf.status.bytes >= 0 && shelf.status.lists <= 6, "seed \(seed), step \(step)")
      }
      for key in open { shelf.ended(key) }
      for owner in owners { shelf.lost(owner) }
      shelf.sweep(at: .max / 2)
      #expect(shelf.status.bytes == 0 && shelf.status.lists == 0 && shelf.status.jobs == 0, "seed \(seed)")
    }
  }
}
