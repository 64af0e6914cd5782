import CommandKit
import Glibc
import MinervaSupervision
import MinervaTransport
import MinervaWire
import ShellKit

/// `minerva keys`: the key pairs of tcp and the list of those that are let in.
enum KeysCommand {
  static func run(_ command: ParsedCommand, _ console: Console) throws -> ExitCode {
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
      try console.out.line(
        command.flag("json") ? JSONLine([("public", .text(pair.publicKey)), ("file", .text(path))]).text : pair.publicKey)
    case "allow":
      var keys = try authorized(list)
      let key = command.argument("KEY") ?? ""
      guard CurveKeyPair.isKey(key) else { throw UsageError("KEY is a public key of 40 characters", command: "minerva keys allow") }
      var grant = PeerGrant(role: command.text("role").flatMap(PeerRole.init) ?? .navigate)
      grant.apps = command.texts("only-app")
      grant.scenes = command.texts("only-scene")
      keys.entries[key] = AuthorizedKeys.Entry(grant: grant, name: command.text("name") ?? "")
      try FileBytes.replace(list, with: keys.text)
      console.notice("allowed; a running broker reads the list again at SIGHUP")
    case "revoke":
      var keys = try authorized(list)
      let start = command.argument("KEY") ?? ""
      let meant = keys.entries.keys.filter { $0.hasPrefix(start) }
      guard meant.count == 1 else {
        throw MinervaError(.unauthorized, meant.isEmpty ? "no key begins with \(start)" : "\(meant.count) keys begin with \(start)")
      }
      for key in meant { keys.entries[key] = nil }
      try FileBytes.replace(list, with: keys.text)
      console.notice("revoked; a running broker reads the list again at SIGHUP")
    default:
      for (key, entry) in try authorized(list).entries.sorted(by: { $0.key < $1.key }) {
        if command.flag("json") {
          try console.out.line(
            JSONLine([("key", .text(key)), ("role", .text(entry.grant.role.rawValue)), ("name", .text(entry.name))]).text)
        } else {
          try console.out.line("\(key)  \(entry.grant.role.rawValue)  \(Escaping.visible(entry.name))")
        }
      }
    }
    return .done
  }

  private static func directory(_ command: ParsedCommand) throws -> String {
    if let directory = command.text("keys") { return directory }
    let runtime = try RuntimeDirectory.open(option: command.text("runtime"))
    let directory = "\(runtime.path)/keys"
    mkdir(directory, 0o700)
    return directory
  }

  private static func authorized(_ path: String) throws(MinervaError) -> AuthorizedKeys {
    guard access(path, F_OK) == 0 else { return AuthorizedKeys() }
    let bytes: [UInt8]
    do throws(ParseError) { bytes = try FileBytes.read(path, limit: 1 << 20) } catch { throw Session.stated(error) }
    return try AuthorizedKeys(text: String(decoding: bytes, as: UTF8.self))
  }
}
