import CommandKit
import Glibc
import MinervaSupervision
import MinervaTransport
import MinervaWire
import ShellKit

/// `minerva keys`: the key pairs of tcp and the list of those that are let in.
enum KeysCommand {
  static func run(_ command: ParsedCommand, _ console: Console) async throws -> ExitCode {
    let directory = try directory(command)
    let list = "\(directory)/authorized"
    switch command.name {
    case "new":
      let name = command.argument("NAME") ?? "client"
      guard !name.contains("/"), !name.hasPrefix(".") else { throw UsageError("NAME is a plain name", command: "minerva keys new") }
      let pair = try CurveKeyPair()
      let path = "\(directory)/\(name).key"
      try pair.write(file: path)
      console.notice("wrote the secret key to \(path) (mode 0600); the public key is")
      let next =
        name == "broker" ? "others name it with --server-key '\(pair.publicKey)'" : "minerva keys allow '\(pair.publicKey)' lets it in"
      defer { console.notice(next) }
      try console.out.line(
        command.flag("json") ? JSONLine([("public", .text(pair.publicKey)), ("file", .text(path))]).text : pair.publicKey)
    case "show":
      let name = command.argument("NAME") ?? "broker"
      let file = "\(directory)/\(name).key"
      let key = try CurveKeyPair(file: file).publicKey
      try console.out.line(command.flag("json") ? JSONLine([("public", .text(key)), ("file", .text(file))]).text : key)
    case "allow":
      let key = command.argument("KEY") ?? ""
      guard CurveKeyPair.isKey(key) else { throw UsageError("KEY is a public key of 40 characters", command: "minerva keys allow") }
      var grant = PeerGrant(role: command.text("role").flatMap(PeerRole.init) ?? .navigate)
      grant.apps = command.texts("only-app")
      grant.scenes = command.texts("only-scene")
      let entry = AuthorizedKeys.Entry(grant: grant, name: command.text("name") ?? "")
      try change(list) { $0.entries[key] = entry }
      console.notice("allowed; \(try inForce(command))")
    case "revoke":
      let start = command.argument("KEY") ?? ""
      try change(list) { try revoke(start, from: &$0) }
      console.notice("revoked; \(try inForce(command))")
    default:
      for (key, entry) in try authorized(list).entries.sorted(by: { $0.key < $1.key }) {
        try console.out.line(command.flag("json") ? json(key, entry) : text(key, entry))
      }
    }
    return .done
  }

  /// Has the running broker read the list again, and says from when it holds.
  ///
  /// - Throws: `runtime.file` when the broker cannot be told: it goes on with the list that it read before.
  private static func inForce(_ command: ParsedCommand) throws(MinervaError) -> String {
    if let directory = command.text("keys") { return "a broker that runs with --keys \(directory) reads the list again at SIGHUP" }
    let runtime = RuntimeDirectory.choose(option: command.text("runtime"))
    let broker: Int32?
    do throws(MinervaError) { broker = try runtime.hangUp("broker") } catch {
      throw MinervaError(error.code, "the list is changed, but the running broker goes on with the one before: \(error.message)")
    }
    guard let broker else { return "in force as soon as a broker runs in \(runtime.path)" }
    return "the running broker (process \(broker)) reads the list now"
  }

  /// Takes out the key that begins so, or is called so.
  private static func revoke(_ start: String, from keys: inout AuthorizedKeys) throws {
    var meant: [String] = []
    for (key, entry) in keys.entries where key.hasPrefix(start) || entry.name == start { meant.append(key) }
    let shown = Escaping.visible(start)
    if meant.isEmpty {
      throw MinervaError("keys.unknown", "no key that is let in begins with \(shown) or is named so; minerva keys list shows them")
    }
    if meant.count > 1 {
      throw MinervaError("keys.unknown", "\(meant.count) keys begin with \(shown) or are named so; write more of the key")
    }
    keys.entries[meant[0]] = nil
  }

  private static func text(_ key: String, _ entry: AuthorizedKeys.Entry) -> String {
    var line = "\(key)  \(entry.grant.role.rawValue)"
    if !entry.grant.apps.isEmpty { line += " app=" + Escaping.visible(entry.grant.apps.joined(separator: ",")) }
    if !entry.grant.scenes.isEmpty { line += " scene=" + Escaping.visible(entry.grant.scenes.joined(separator: ",")) }
    return line + "  " + Escaping.visible(entry.name)
  }

  private static func json(_ key: String, _ entry: AuthorizedKeys.Entry) -> String {
    let apps: [JSONLine.Value] = entry.grant.apps.map { .text($0) }
    let scenes: [JSONLine.Value] = entry.grant.scenes.map { .text($0) }
    return JSONLine([
      ("key", .text(key)), ("role", .text(entry.grant.role.rawValue)), ("name", .text(entry.name)), ("apps", .array(apps)),
      ("scenes", .array(scenes)),
    ]).text
  }

  private static func directory(_ command: ParsedCommand) throws -> String {
    if let directory = command.text("keys") { return directory }
    let runtime = try RuntimeDirectory.open(option: command.text("runtime"))
    let directory = "\(runtime.path)/keys"
    mkdir(directory, 0o700)
    return directory
  }

  /// Changes the list; whoever else is at it comes before or after.
  private static func change(_ list: String, _ body: (inout AuthorizedKeys) throws -> Void) throws {
    let lock = try lock(list + ".lock")
    defer { lock.release() }
    var keys = try authorized(list)
    try body(&keys)
    try FileBytes.replace(list, with: keys.text)
  }

  /// Waits for the lock, for five seconds.
  private static func lock(_ path: String) throws(MinervaError) -> LockFile {
    for _ in 0..<500 {
      if let lock = try? LockFile.acquire(path) { return lock }
      usleep(10_000)
    }
    return try LockFile.acquire(path)
  }

  private static func authorized(_ path: String) throws(MinervaError) -> AuthorizedKeys {
    guard access(path, F_OK) == 0 else { return AuthorizedKeys() }
    let bytes: [UInt8]
    do throws(ParseError) { bytes = try FileBytes.read(path, limit: 1 << 20) } catch { throw Session.stated(error) }
    return try AuthorizedKeys(text: String(decoding: bytes, as: UTF8.self))
  }
}
