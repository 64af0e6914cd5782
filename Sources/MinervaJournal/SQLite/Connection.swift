internal import CSQLite
internal import Glibc

/// A connection to a database file, used by one thread at a time.
final class Connection {
  private let handle: OpaquePointer
  let path: String

  /// Opens a file, creating it unless `readOnly`.
  init(path: String, readOnly: Bool = false) throws(SQLiteFailure) {
    // SQLite would make it as the umask allows; its logs get the file's own mode. What is there is left alone: closing it would let go of
    // the locks of other connections to it.
    if !readOnly, case let made = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600), made >= 0 { close(made) }
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let failure = SQLiteFailure(code: code, message: opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory")
      sqlite3_close(opened)
      throw failure
    }
    handle = opened
    self.path = path
    // Another reader's moment (stats, export) is waited for, a stuck one is not.
    sqlite3_busy_timeout(opened, 2_000)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Runs statements that return nothing of interest.
  func execute(_ sql: String) throws(SQLiteFailure) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Compiles a statement for repeated use.
  func prepare(_ sql: String) throws(SQLiteFailure) -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(code) }
    return Statement(statement, of: self)
  }

  /// The first column of the first row, or nil without a row.
  func integer(_ sql: String) throws(SQLiteFailure) -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Whether a transaction is open; a failure such as a full disk may have ended it.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// How many rows the last insertion, change or deletion touched.
  var changes: Int { Int(sqlite3_changes(handle)) }

  func failure(_ code: Int32) -> SQLiteFailure {
    SQLiteFailure(code: code, message: String(cString: sqlite3_errmsg(handle)))
  }
}

/// A compiled statement.
final class Statement {
  private let handle: OpaquePointer
  private let connection: Connection

  fileprivate init(_ handle: OpaquePointer, of connection: Connection) {
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

  func bind(_ index: Int32, _ value: String) {
    // SQLITE_TRANSIENT: SQLite keeps a copy.
    sqlite3_bind_text(handle, index, value, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
  }

  /// Runs the statement with bytes bound, without a copy of them.
  func step(blob: [UInt8], at index: Int32) throws(SQLiteFailure) {
    let code = blob.withUnsafeBufferPointer { bytes in
      if let base = bytes.baseAddress {
        sqlite3_bind_blob64(handle, index, base, UInt64(bytes.count), nil)
      } else {
        sqlite3_bind_zeroblob(handle, index, 0)
      }
      let code = sqlite3_step(handle)
      sqlite3_bind_null(handle, index)
      return code
    }
    guard code == SQLITE_DONE else {
      sqlite3_reset(handle)
      throw connection.failure(code)
    }
    sqlite3_reset(handle)
  }

  /// Moves to the next row; false at the end, and ready for the next use then.
  @discardableResult
  func step() throws(SQLiteFailure) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    sqlite3_reset(handle)
    guard code == SQLITE_DONE else { throw connection.failure(code) }
    return false
  }

  func reset() { sqlite3_reset(handle) }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func text(_ column: Int32) -> String { sqlite3_column_text(handle, column).map { String(cString: $0) } ?? "" }

  func blob(_ column: Int32) -> [UInt8] { withBlob(column) { Array($0) } }

  /// The bytes of a column, valid within the body alone.
  func withBlob<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let base = sqlite3_column_blob(handle, column)
    return body(UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : Int(sqlite3_column_bytes(handle, column))))
  }
}

/// What SQLite answered instead of success.
struct SQLiteFailure: Error {
  let code: Int32
  let message: String

  /// Whether the file itself is damaged, or is none of SQLite's, or claims values that no record can have.
  var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_TOOBIG].contains(code & 0xFF) }

  /// The same of a file that is being opened: a statement that cannot be run means that tables are missing. Of a file that was open it
  /// means no such thing.
  var isDamageAtOpening: Bool { isDamage || code & 0xFF == SQLITE_ERROR }

  var isBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xFF) }
}
