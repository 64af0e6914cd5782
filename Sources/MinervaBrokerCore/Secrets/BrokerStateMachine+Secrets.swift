import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// What must not be written down (P4): records hold a seal and what everyone may see, the text itself stays in memory and goes to hosts alone.
///
/// In doubt a text is sealed: that of a module nobody has offered yet, what a module reads with a decoder of its own, and what is entered
/// into a screen before it has said which of its fields are secret. A sealed text works as any other as long as this broker lives.
extension BrokerStateMachine {
  // MARK: On the way in

  /// An action as it may be recorded.
  /// - Throws: `bus.bad_message` for an action that names a seal itself, `input.secret` for a secret given where it can't be sealed.
  mutating func sealed(
    _ action: Command.Action, in scene: String, by origin: ScreenID? = nil
  ) throws(MinervaError) -> Command.Action {
    if !action.seals.isEmpty { throw Self.foreignSeal }
    switch action {
    case .open(var opening):
      if opening.unhosted {
        // Nobody makes it, so nobody needs what is hidden.
        guard case .fields(let schema) = registry.secrecy(of: opening.module.name, in: app(of: opening.module, in: scene)) else {
          return action
        }
        opening.input = schema.redacted(opening.input)
        return .open(opening)
      }
      (opening.input, opening.seal) = sealed(opening.input, of: opening.module, in: scene)
      for index in opening.configuration?.indices ?? 0..<0 {
        guard let more = opening.configuration?[index] else { continue }
        let (shown, seal) = sealed(more.input, of: opening.module.naming(more.module), in: scene)
        opening.configuration?[index].input = shown
        opening.configuration?[index].seal = seal
      }
      return .open(opening)
    case .send(let ref, let input):
      guard let (shown, seal) = sealed(input, to: ref, in: scene) else { return action }
      return .sendSealed(ref, shown, seal)
    case .act(let ref, .enter(let field, let value)):
      guard mustSeal(field, of: ref, in: scene) else { return action }
      return .act(ref, .enterSealed(field: field, seal(Array(value.utf8), in: scene)))
    case .act(let ref, .execute(let command, let input?)) where !input.isEmpty:
      // What a command takes is its coordinator's own: nobody else can say what of it is secret.
      return .act(ref, .executeSealed(command: command, seal(input, in: scene)))
    case .launch(let module, let input): try requireOpen(input, of: module, in: scene, verb: action.verb)
    case .go(let name, let ref, let input?):
      var asked = ref == nil ? origin : nil
      if case .id(let id)? = ref { asked = id }
      try requireOpen(input, ofTransition: name, of: asked, in: scene, verb: action.verb)
    case .setStack(_, let elements):
      for case .module(let module, let input) in elements { try requireOpen(input, of: module, in: scene, verb: action.verb) }
    case .follow(var following):
      sealDoubts(of: &following, in: scene)
      for step in following.steps where step.seal == nil {
        try requireOpen(step.input, of: step.module, in: scene, verb: action.verb)
      }
      guard !following.context.isEmpty else { return .follow(following) }
      // It belongs to no module, so nobody can say what of it is secret.
      following.seal = seal(following.context, in: scene)
      following.context = Self.hidden
      return .follow(following)
    default: break
    }
    return action
  }

  /// A verdict as it may be recorded: what was sealed in doubt is opened; containers that start with secrets, and transitions that name a
  /// seal, are refused.
  func checked(_ report: LinkReport, in scene: String) -> LinkReport {
    guard case .accepted(var acceptance) = report.verdict else { return report }
    var starts: [ModuleStart] = []
    switch acceptance.container {
    case .none: break
    case .tabs(let tabs, _): starts = tabs.map(\.start)
    case .split(let primary, let detail, _): starts = [primary] + (detail.map { [$0] } ?? [])
    }
    for transition in acceptance.transitions {
      starts.append(ModuleStart(transition.opening.module, input: transition.opening.input))
      for more in transition.opening.configuration ?? [] {
        starts.append(ModuleStart(transition.opening.module.naming(more.module), input: more.input))
      }
    }
    var report = report
    do throws(MinervaError) {
      if acceptance.transitions.contains(where: { !Command.Action.open($0.opening).seals.isEmpty }) { throw Self.foreignSeal }
      for start in starts {
        // Written by the author of the module, who may name one that no host offers yet.
        if case .fields(let schema) = registry.secrecy(of: start.module.name, in: app(of: start.module, in: scene)) {
          try requireOpen(start.input, under: [schema], verb: "start")
        }
      }
    } catch {
      report.verdict = .refused(Refusal(error))
      return report
    }
    acceptance.plainInput = nil
    if acceptance.redactedInput == nil, let slot = scenes[scene], let seal = slot.state.seal(of: report.screen),
      let module = slot.state.screen(report.screen)?.module,
      registry.believesHost(of: module.name, in: module.app ?? slot.identity.app)
    {
      acceptance.plainInput = vaults[scene]?[seal]
    }
    report.verdict = .accepted(acceptance)
    return report
  }

  mutating func seal(_ text: [UInt8], in scene: String) -> Seal {
    vaults[scene, default: Vault()].put(text) {
      sealed += 1
      return Seal(epoch << 32 | sealed)
    }
  }

  /// Seals what a link gives to modules whose inputs cannot be seen through: it stands in the link for everyone to read, and leads on as long
  /// as this broker lives. What is known to be secret no link may give.
  mutating func sealDoubts(of following: inout Following, in scene: String) {
    for index in following.steps.indices {
      let step = following.steps[index]
      guard case .fields(let schema) = registry.secrecy(of: step.module.name, in: app(of: step.module, in: scene)), !schema.hasSecrets
      else {
        continue
      }
      (following.steps[index].input, following.steps[index].seal) = sealed(step.input, of: step.module, in: scene)
    }
  }

  /// What may be seen of a module's input, and the seal of the whole, if there is anything to hide.
  private mutating func sealed(_ input: [UInt8], of module: ModuleAddress, in scene: String) -> ([UInt8], Seal?) {
    switch registry.secrecy(of: module.name, in: app(of: module, in: scene)) {
    case .none: return (input, nil)
    case .unknown: return input.isEmpty ? (input, nil) : (Self.hidden, seal(input, in: scene))
    case .fields(let schema):
      let shown = schema.redacted(input)
      return shown == input ? (input, nil) : (shown, seal(input, in: scene))
    }
  }

  /// The same of one more input. Whose it will be is only known when its turn comes, unless the screen is named by its own name.
  private mutating func sealed(_ input: [UInt8], to ref: ScreenRef, in scene: String) -> ([UInt8], Seal)? {
    guard let slot = scenes[scene] else { return nil }
    if isCertain(ref, slot), let id = try? slot.state.resolve(ref), let module = slot.state.screen(id)?.module {
      let (shown, seal) = sealed(input, of: module, in: scene)
      return seal.map { (shown, $0) }
    }
    // Until then it may be any module's, also another app's that is open in this scene.
    guard !registry.knows(slot.identity.app) || registry.secretiveInputs.contains(where: { $0.redacted(input) != input }) else {
      return nil
    }
    return (Self.hidden, seal(input, in: scene))
  }

  /// Whether what is entered into a field must not be written down, or may be such.
  private func mustSeal(_ field: String, of ref: ScreenRef, in scene: String) -> Bool {
    guard let slot = scenes[scene], isCertain(ref, slot), let id = try? slot.state.resolve(ref) else { return true }
    guard let plain = slot.displays.plainFields[id] else { return true }
    return plain.map { !$0.contains(field) } ?? false
  }

  /// Whether a reference means the same screen when its turn comes.
  private func isCertain(_ ref: ScreenRef, _ slot: SceneSlot) -> Bool {
    if case .id = ref { true } else { slot.state.requests.isEmpty }
  }

  /// Refuses secrets where a record would have to hold them, and what may be one as long as no host has said.
  private func requireOpen(_ input: [UInt8], of module: ModuleAddress, in scene: String, verb: String) throws(MinervaError) {
    let app = app(of: module, in: scene)
    switch registry.secrecy(of: module.name, in: app) {
    case .none: return
    case .fields(let schema): try requireOpen(input, under: [schema], verb: verb)
    case .unknown where input.isEmpty: return
    case .unknown:
      guard registry.knows(app) else { throw Self.undecided(verb, app) }
      _ = try registry.host(for: module.name, of: app, pin: module.host)
    }
  }

  /// The same of the input of a transition. While something is under way, or no screen has one of that name, it may be any module's: of the
  /// scene's app, or of another that a transition names.
  ///
  /// - Parameter screen: Whose transition it is, where that is certain.
  private func requireOpen(
    _ input: [UInt8], ofTransition name: String, of screen: ScreenID?, in scene: String, verb: String
  ) throws(MinervaError) {
    if let state = scenes[scene]?.state, screen != nil || state.requests.isEmpty {
      let modules = state.destinations(ofTransition: name, of: screen)
      for module in modules { try requireOpen(input, of: module, in: scene, verb: verb) }
      if !modules.isEmpty { return }
    }
    let app = scenes[scene]?.identity.app ?? ""
    guard input.isEmpty || registry.knows(app) else { throw Self.undecided(verb, app) }
    try requireOpen(input, under: registry.secretiveInputs, verb: verb)
  }

  private func requireOpen(_ input: [UInt8], under schemas: [PayloadSchema], verb: String) throws(MinervaError) {
    for schema in schemas where schema.redacted(input) != input {
      guard schema.hasSecrets else {
        throw MinervaError(
          .inputSecret,
          "\(verb) would write down what may be a secret: the input of \(schema.name) cannot be seen through; let its type be PayloadDescribing, or give it with open or send"
        )
      }
      throw MinervaError(.inputSecret, "\(verb) would write a secret of \(schema.name) down; give it with open, send or enter")
    }
  }

  private static let foreignSeal = MinervaError(.badMessage, "seals are made by brokers")

  private static func undecided(_ verb: String, _ app: String) -> MinervaError {
    MinervaError(
      .inputSecret, "no host of \(app) has said yet what is secret in it, and \(verb) would write it down; try again in a moment",
      retryable: true)
  }

  private func app(of module: ModuleAddress, in scene: String) -> String { module.app ?? scenes[scene]?.identity.app ?? "" }

  /// What stands for an input of which nothing may be seen.
  private static let hidden = JSONValue.string(PayloadSchema.redaction).bytes

  // MARK: On the way out

  /// Puts the text of a seal in the place of what everyone may see; `false` when it is lost.
  func opened(_ input: inout [UInt8], _ seal: Seal?, of scene: String) -> Bool {
    guard let seal else { return true }
    guard let text = vaults[scene]?[seal] else { return false }
    input = text
    return true
  }

  /// A message with its text; one whose text is lost goes as it is, and its host answers that.
  func opened(_ delivery: Delivery, of scene: String) -> Delivery {
    guard let seal = delivery.message.body.seal, let text = vaults[scene]?[seal] else { return delivery }
    var delivery = delivery
    switch delivery.message.body {
    case .sealedInput: delivery.message = delivery.message.saying(.input(text))
    case .act(.executeSealed(let command, _)):
      delivery.message = delivery.message.saying(.act(.execute(command: command, input: text)))
    case .act(.enterSealed(let field, _)):
      delivery.message = delivery.message.saying(.act(.enter(field: field, value: String(decoding: text, as: UTF8.self))))
    default: break
    }
    return delivery
  }

  /// Says in a host's place that a module cannot be made: the secrets of its input are lost with an earlier life of this broker.
  mutating func feedLoss(of screen: ScreenID, lease: UInt32, in scene: String, now: Moment, _ actions: inout [BrokerAction]) {
    let refusal = Refusal(
      code: Seal.lost, message: "the secrets of \(screen)'s input were lost with a restart of the broker; open it again")
    feed(.link(LinkReport(screen: screen, lease: lease, verdict: .refused(refusal))), to: scene, now: now, &actions)
  }

  /// A scene that is never idle forgets as well: before the texts of what comes, which its state does not know yet.
  mutating func tidyIfCrowded(_ scene: String) {
    if vaults[scene]?.isCrowded == true { tidy(scene) }
  }

  /// Forgets the texts that nothing needs any more.
  mutating func tidy(_ scene: String) {
    guard let vault = vaults[scene], !vault.isEmpty, let state = scenes[scene]?.state else { return }
    vaults[scene]?.keep(state.seals)
  }
}

extension ModuleAddress {
  /// Another module of the same app.
  fileprivate func naming(_ other: String) -> ModuleAddress {
    var module = self
    module.name = other
    return module
  }
}
