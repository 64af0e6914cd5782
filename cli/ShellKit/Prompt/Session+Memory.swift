import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaWire

/// How long a line may be kept: what it gives to a secret field, and what nobody can say it doesn't, is written nowhere.
extension Session {
  /// The shortest memory that a statement of the line demands.
  package func memory(for statements: [Statement]) async -> LineMemory {
    var memory = LineMemory.file
    var isMoved = false
    for statement in statements where memory > .none {
      memory = min(memory, await self.memory(for: statement, isMoved: isMoved))
      if !statement.request.isPassive, statement.verb.name != "enter" { isMoved = true }
    }
    return memory
  }

  /// - Parameter isMoved: Whether a command before it may change which screen `top` is.
  private func memory(for statement: Statement, isMoved: Bool) async -> LineMemory {
    let call = statement.call
    switch statement.verb.name {
    case "enter": return await memory(forField: call, isMoved: isMoved)
    case "open": return call.has("input") ? await inputs().memory(for: call.module("module")?.name) : .file
    case "send": return await inputs().memory(for: await screen(of: call, isMoved: isMoved)?.module)
    case "execute", "go": return call.has("input") ? await inputs().memory(for: nil) : .file
    case "deeplink": return await inputs().memory(for: nil)
    case "stack":
      guard let token = call.token("elements"), let elements = try? StackElement.parse(token) else { return .file }
      let inputs = await inputs()
      return elements.map { element in
        if case .module(let module, _?) = element { inputs.memory(for: module.name) } else { LineMemory.file }
      }.min() ?? .file
    case "repeat":
      guard case .lab(.repeated(let line, _, _)) = statement.request, let inner = try? Statement.parse(line) else { return .session }
      return await memory(for: inner)
    default: return .file
    }
  }

  private func memory(forField call: Invocation, isMoved: Bool) async -> LineMemory {
    guard let field = call.text("field"), let screen = await screen(of: call, isMoved: isMoved) else { return .none }
    // A field that the screen does not have may be a slip of the finger, or a secret one of the screen before or behind it.
    guard let row = lastLook?.renderings[screen.id]?.row(field) else { return .none }
    return row.secret == true ? .none : .file
  }

  /// The screen that a command will mean; nil when that cannot be said before.
  private func screen(of call: Invocation, isMoved: Bool) async -> SceneTree.Screen? {
    guard let reference = call.reference("screen"), let ref = try? await screen(reference), let look = await refresh() else { return nil }
    if case .id(let id) = ref { return look.tree.screens.first { $0.id == id } }
    return isMoved ? nil : look.tree.resolve(ref)
  }

  private func inputs() async -> SecretInputs { SecretInputs(try? await target.modules()) }
}

/// Which modules take secrets, as far as hosts have said.
private struct SecretInputs {
  /// By the module's name; nil when nobody could be asked. What cannot be seen through may hold one.
  private let isSecret: [String: Bool]?

  init(_ modules: [ModuleListing]?) {
    isSecret = modules.map { modules in
      Dictionary(modules.map { ($0.module.name, $0.module.schema.flatMap(SchemaTypes.schema)?.mayHoldSecrets ?? false) }) { $0 || $1 }
    }
  }

  /// How long an input of a module may be kept; of one that the line does not name: as if it were any of them.
  func memory(for module: String?) -> LineMemory {
    guard let isSecret else { return .session }
    guard let module else { return isSecret.values.contains(true) ? .session : .file }
    return isSecret[module].map { $0 ? .none : .file } ?? .session
  }
}
