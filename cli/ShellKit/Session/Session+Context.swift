import CommandKit
import MinervaInterfaces
package import MinervaNavigation
import MinervaWire

extension Session: InvocationContext {
  package func screen(_ reference: Reference) async throws -> ScreenRef {
    switch reference {
    case .ref(let ref): return ref
    case .alias(let name): return .id(try await identity(ofAlias: name, allowsRemoved: false))
    }
  }

  package func module(of reference: Reference) async -> String? {
    guard let look = lastLook, let ref = try? await screen(reference) else { return nil }
    return look.tree.resolve(ref)?.module
  }

  package func bytes(_ payload: PayloadText, schemaOf module: String?) async throws -> [UInt8] {
    switch payload {
    case .json(let text): return Array(text.utf8)
    case .file(let path):
      var bytes = try FileBytes.read(path, limit: 64 << 20)
      // One newline at the end belongs to the file, not to the payload (D04).
      if bytes.last == 0x0A { bytes.removeLast() }
      if bytes.last == 0x0D { bytes.removeLast() }
      if let complaint = PayloadCheck.complaint(about: String(decoding: bytes, as: UTF8.self)) {
        throw ParseError(
          .payload, complaint.message, at: SourcePosition(file: path, line: complaint.line, column: complaint.column))
      }
      return bytes
    case .pairs(let pairs):
      let schema = await schema(of: module)
      if let module, let stranger = schema?.complaint(about: pairs.map(\.key), of: module) { throw MinervaError(.inputInvalid, stranger) }
      let types = schema.map(SchemaTypes.ofKeys) ?? [:]
      return Array(PayloadText.object(of: pairs) { types[$0] }.utf8)
    }
  }

  /// What a module's input must look like; nil when its hosts say nothing.
  private func schema(of module: String?) async -> PayloadSchema? {
    guard let module, let offered = try? await target.modules() else { return nil }
    return offered.first { $0.module.name == module }?.module.schema.flatMap(SchemaTypes.schema)
  }

  /// Finds the screen of an alias: one given by `as`, else the only screen of the module of that name.
  ///
  /// While the scene is not settled the screen may be on its way, as after a tap that opens it: then it is waited for.
  func identity(ofAlias name: String, allowsRemoved: Bool) async throws -> ScreenID {
    _ = await poll(within: .seconds(5)) { () -> Bool? in
      guard let look = await self.refresh() else { return true }
      return look.isSettled || look.tree.screens.contains { $0.module.lowercased() == name || $0.id == self.aliases[name] } ? true : nil
    }
    let look = lastLook
    let open = look?.tree.screens ?? []
    if let given = aliases[name] {
      if allowsRemoved || open.contains(where: { $0.id == given }) { return given }
      if let last = await log.lastRemoval(where: { $0.screen == given }) {
        throw MinervaError(.staleRef, "@\(name) was \(given), removed at #\(last.record) (\(last.reason.rawValue))")
      }
      return given
    }
    let named = open.filter { $0.module.lowercased() == name }
    if named.count == 1 { return named[0].id }
    if named.count > 1 {
      let all = named.map(\.id.description).joined(separator: ", ")
      throw MinervaError(.ambiguousRef, "@\(name) could be \(all); open it with as @NAME, or say which")
    }
    if let last = await log.lastRemoval(where: { $0.module.lowercased() == name }) {
      if allowsRemoved { return last.summary.screen }
      throw MinervaError(
        .staleRef, "@\(name) was \(last.summary.screen), removed at #\(last.record) (\(last.reason.rawValue))")
    }
    let known = Set(open.map { $0.module.lowercased() }).union(aliases.keys)
    let hint = Suggestion.nearest(to: name, among: known.sorted()).map { "; did you mean @\($0)?" } ?? ""
    throw MinervaError(.unknownRef, "nothing open is called @\(name)\(hint)")
  }

  /// Reads the conditions of a request from its options.
  func conditions(_ call: Invocation) async throws -> RequestConditions {
    var conditions = RequestConditions()
    if let policy = call.option("policy").flatMap(Policy.init) { conditions.policy = policy }
    if let reference = try call.referenceOption("if-top") { conditions.ifTop = try await screen(reference) }
    conditions.isInstant = call.flag("instant")
    conditions.timeout = call.option("timeout").flatMap(DurationText.parse)
    if conditions.timeout == .zero { throw ParseError(.option, "--timeout must be longer than 0", at: call.position) }
    conditions.txn = call.option("txn")
    return conditions
  }
}
