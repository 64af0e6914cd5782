import Minerva
package import MinervaInterfaces
package import MinervaNavigation
import MinervaWire

/// Runs the coordinators of a host: makes them, gives them their messages, ends them.
///
/// It knows neither sockets nor the broker's process: whatever it has to say goes through a `BrokerLink`. Authors' code runs on the
/// cooperative pool, each coordinator in its own mailbox, so one that blocks delays itself alone (K8).
package actor HostRuntime {
  fileprivate struct Key: Hashable {
    var scene: SceneIdentity
    var screen: ScreenID
  }

  private let name: String
  private nonisolated let modules: ModuleRegistry
  private let link: any BrokerLink
  private let differ: any DiffComputing
  fileprivate var mailboxes: [Key: Mailbox] = [:]
  /// What was made, or is being made, under which lease: an order that is repeated gets the same verdict.
  private var makings: [Key: (verdict: Task<LinkVerdict, Never>, account: CoordinatorAccount)] = [:]
  /// Coordinators that are over, as long as something of them may be left (K4).
  private var leaving: [CoordinatorAccount] = []
  /// How many of them there may be before those are forgotten of which nothing is.
  private var leavingBound = 64

  /// Makes a runtime.
  /// - Parameter name: The host's node name, which verdicts carry.
  package init(name: String, modules: ModuleRegistry, link: any BrokerLink, differ: any DiffComputing) {
    self.name = name
    self.modules = modules
    self.link = link
    self.differ = differ
  }

  // MARK: Orders

  /// Makes a module; `start` must follow once the verdict is on its way.
  package func connect(_ order: ConnectOrder) async -> LinkVerdict {
    let connection = order.connection
    return await make(
      scene: order.scene, screen: connection.screen, lease: connection.lease, module: connection.module.name, input: connection.input,
      parent: connection.parent, state: nil, nextTurn: 1,
      isAwaited: connection.via == nil, gates: [], shown: nil, at: order.at)
  }

  /// Makes a module again, with the state it declared last.
  package func resume(_ order: ResumeOrder) async -> LinkVerdict {
    let resumption = order.resumption
    return await make(
      scene: order.scene, screen: resumption.screen, lease: resumption.lease, module: resumption.module.name, input: resumption.input,
      parent: resumption.parent, state: resumption.state, nextTurn: resumption.nextTurn,
      isAwaited: true, gates: resumption.gates ?? [], shown: order.shown, at: order.at)
  }

  /// Lets a coordinator that was made speak: its first turn, its first rendering.
  package func start(_ screen: ScreenID, in scene: SceneIdentity) async {
    await mailboxes[Key(scene: scene, screen: screen)]?.start()
  }

  /// Takes messages into the mailboxes, and notes of coordinators that are over; returns when they are in.
  package func take(_ orders: [HostOrder]) {
    for order in orders {
      switch order {
      case .deliver(let scene, let delivery, let time):
        mailboxes[Key(scene: scene, screen: delivery.screen)]?.post(delivery.message, lease: delivery.lease, at: time)
      case .end(let scene, let departure): end(departure.screen, upTo: departure.lease, in: scene)
      case .seen(let scene, let screen, let isSeen, let isAwaited):
        if let mailbox = mailboxes[Key(scene: scene, screen: screen)] {
          mailbox.see(isSeen, isAwaited: isAwaited)
        } else if isAwaited {
          // Nobody is there to answer: the scene must not wait for it.
          Task { [link] in await link.report(.nothing(of: screen, in: scene)) }
        }
      }
    }
  }

  private func make(
    scene: SceneIdentity, screen: ScreenID, lease: UInt32, module: String, input: [UInt8], parent: ScreenID?, state: [UInt8]?,
    nextTurn: UInt32, isAwaited: Bool, gates: [HeldGate], shown: ShownList?, at time: SceneTime
  ) async -> LinkVerdict {
    let key = Key(scene: scene, screen: screen)
    let old = makings[key]
    if let old {
      if old.account.lease == lease { return await old.verdict.value }
      guard old.account.lease < lease else {
        return .refused(Refusal(MinervaError(.staleEpoch, "\(screen) is made under lease \(old.account.lease), not \(lease) any more")))
      }
    }
    let (mailbox, account) = (
      mailboxes.removeValue(forKey: key),
      CoordinatorAccount(scene: scene, screen: screen, module: module, lease: lease, parent: parent)
    )
    let verdict = Task {
      if let old {
        old.verdict.cancel()
        _ = await old.verdict.value
        await mailbox?.end()
        self.watch(old.account)
      }
      return await self.verdict(
        key, account, module: module, input: input, state: state, nextTurn: nextTurn, isAwaited: isAwaited, gates: gates,
        shown: shown, at: time)
    }
    // In place before anything is waited for: whoever asks for the same gets the same.
    makings[key] = (verdict, account)
    return await verdict.value
  }

  private func verdict(
    _ key: Key, _ account: CoordinatorAccount, module: String, input: [UInt8], state: [UInt8]?, nextTurn: UInt32,
    isAwaited: Bool, gates: [HeldGate], shown: ShownList?, at time: SceneTime
  ) async -> LinkVerdict {
    let buffer = TurnBuffer(identity: key.scene, screen: key.screen, account: account)
    let held = gates.map { (gate: $0, token: buffer.hold($0.name)) }
    defer { account.isMade() }
    do {
      let offer = try modules.offer(module)
      let coordinator = try await made(offer, input, buffer)
      account.belongs(to: coordinator.actor)
      let list = ListController(
        scene: key.scene, screen: key.screen, link: link, differ: differ, hearsDisplay: { [buffer] in buffer.display($0) })
      let earlier = shown.map { shown in
        EarlierLife(shown: shown) { try await self.screen(offer, input, shown.state, key) }
      }
      let mailbox = Mailbox(
        coordinator: coordinator, buffer: buffer, account: account, nextTurn: nextTurn, state: state,
        isAwaited: isAwaited, earlier: earlier, held: held, link: link, list: list)
      buffer.attach(mailbox)
      do {
        buffer.begin(at: time)
        if let state {
          try await coordinator.restore(state)
          await mailbox.isRestored(try await coordinator.state())
        }
        try await coordinator.load()
        let acceptance = Acceptance(
          host: name, container: try await coordinator.container(), slots: offer.slots,
          redactedInput: offer.input.mayHoldSecrets ? offer.input.redacted(input) : nil, transitions: try await coordinator.transitions(),
          wantsLifecycle: offer.hearsLifecycle)
        try Task.checkCancellation()
        guard makings[key]?.account === account else { throw CancellationError() }
        mailboxes[key] = mailbox
        return .accepted(acceptance)
      } catch {
        await mailbox.end()
        throw error
      }
    } catch {
      // Under another lease it may be made anew by now.
      if makings[key]?.account === account { makings[key] = nil }
      watch(account)
      if !(error is MinervaError || error is Refusal || error is CancellationError) { link.note("\(key.screen) \(module): \(error)") }
      return .refused(Refusal(error, otherwise: MinervaError.Code.moduleFactoryFailed.rawValue))
    }
  }

  /// Runs the factory; what it throws without a code of its own becomes `module.factory_failed` with the cause (L7).
  private nonisolated func made(_ offer: ModuleOffer, _ input: [UInt8], _ buffer: TurnBuffer) async throws -> any CoordinatorRunning {
    try offer.checkInput(input)
    do {
      return try await offer.make(input, buffer)
    } catch let error as MinervaError {
      throw error
    } catch {
      if error is CancellationError { throw error }
      link.note("\(offer.name) could not be made: \(error)")
      throw MinervaError(
        .moduleFactoryFailed, "\(offer.name) could not be made: its factory threw \(String(reflecting: type(of: error)))")
    }
  }

  /// What a coordinator with an earlier state shows: one is made for it, and forgotten. Whatever it asks for goes nowhere.
  private nonisolated func screen(_ offer: ModuleOffer, _ input: [UInt8], _ state: [UInt8]?, _ key: Key) async throws -> Screen {
    let coordinator = try await made(offer, input, TurnBuffer(identity: key.scene, screen: key.screen, account: nil))
    if let state { try await coordinator.restore(state) }
    try await coordinator.load()
    return try await coordinator.screen()
  }

  /// Ends what was made under a lease or an earlier one: what was made anew since then is another's to end.
  private func end(_ screen: ScreenID, upTo lease: UInt32?, in scene: SceneIdentity) {
    let key = Key(scene: scene, screen: screen)
    if let lease, let making = makings[key], making.account.lease > lease { return }
    if let making = makings.removeValue(forKey: key) {
      making.verdict.cancel()
      watch(making.account)
    }
    // The author's last words are not waited for by the orders of others.
    if let mailbox = mailboxes.removeValue(forKey: key) { Task { await mailbox.end() } }
  }

  /// Ends an account, and keeps it until nothing of its coordinator is left. Constant time on average.
  private func watch(_ account: CoordinatorAccount) {
    account.end()
    if !leaving.contains(where: { $0 === account }) { leaving.append(account) }
    guard leaving.count > leavingBound else { return }
    leaving.removeAll(where: \.isClosed)
    leavingBound = max(64, 2 * leaving.count)
  }

  /// What is held of the coordinators of a scene, or of all (K4).
  package func inspect(_ scene: String?) -> HostInspection {
    leaving.removeAll(where: \.isClosed)
    let accounts = makings.values.map(\.account) + leaving
    let reports = accounts.filter { scene == nil || $0.scene.name == scene }.compactMap { $0.report() }
    return HostInspection(
      coordinators: reports.sorted { ($0.scene.description, $0.screen, $0.lease) < ($1.scene.description, $1.screen, $1.lease) })
  }

  /// Answers a question for one of the coordinators (K7).
  package func answer(_ call: CoordinatorCall) async throws -> [UInt8] {
    guard let mailbox = mailboxes[Key(scene: call.scene, screen: call.screen)] else {
      throw MinervaError(.staleRef, "\(call.screen) does not run in \(name)")
    }
    return try await mailbox.answer(call.method, call.argument)
  }

  /// Answers for a route of a module that this host offers (R1).
  /// - Throws: `route.failed` with what its author's code threw, unless that has a code of its own.
  package nonisolated func resolve(_ inquiry: RouteInquiry) async throws -> RouteDecision {
    let question = inquiry.question
    guard let answer = try modules.offer(question.module).answer else {
      throw MinervaError(.routeFailed, "\(question.module) has nobody to answer for \(question.pattern)")
    }
    do {
      return try await answer(AskedRoute(scene: inquiry.scene.name, question: question, context: inquiry.context)).decision
    } catch let error as MinervaError {
      throw error
    } catch {
      link.note("\(question.pattern) under \(question.module): \(error)")
      throw MinervaError(
        .routeFailed, "\(question.pattern) under \(question.module): its host threw \(String(reflecting: type(of: error)))")
    }
  }

  // MARK: The broker comes and goes

  /// The coordinators that run here, for a registration.
  package func running() async -> [MinervaInterfaces.RunningCoordinator] {
    var running: [MinervaInterfaces.RunningCoordinator] = []
    for (key, mailbox) in mailboxes {
      // One that was refused for good, and ended by itself, runs no more.
      if await mailbox.isOver { continue }
      running.append(
        .init(
          scene: key.scene, screen: key.screen, handled: UInt64(await mailbox.handled), lease: mailbox.lease, shows: await mailbox.shows))
    }
    return running.sorted { ($0.scene.description, $0.screen) < ($1.scene.description, $1.screen) }
  }

  /// Takes the receipt of a registration: ends what the broker does not know, and shows all other screens again.
  package func registered(_ receipt: HostReceipt) async {
    for forgotten in receipt.forgotten { end(forgotten.screen, upTo: forgotten.lease, in: forgotten.scene) }
    // Beside the registration: a broker that is gone again meanwhile is waited for.
    for mailbox in mailboxes.values { Task { await mailbox.showAgain() } }
  }

  /// Ends every coordinator, the youngest first.
  package func close() async {
    for key in mailboxes.keys.sorted(by: { $0.screen > $1.screen }) { await mailboxes.removeValue(forKey: key)?.end() }
  }
}

extension HostRuntime {
  /// Whether a coordinator runs here.
  package func runs(_ screen: ScreenID, in scene: SceneIdentity) -> Bool {
    mailboxes[Key(scene: scene, screen: screen)] != nil
  }
}
