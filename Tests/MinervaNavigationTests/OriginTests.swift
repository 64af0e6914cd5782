import MinervaNavigation
import SceneModels
import Testing

@Suite("Scenes that begin as others were")
struct OriginTests {
  @Test(
    "D2: a fork has the tree and the names of any moment, waits for hosts, keeps its law, and comes to rest", arguments: Seeds.parts(of: 40)
  )
  func forks(seeds: ClosedRange<UInt64>) {
    for seed in seeds {
      var scene = RandomScene()
      let length = 20 + Int(seed % 7) * 30
      for seed in Dice.throwsOfDice(length, seed: seed) { _ = scene.feed(scene.next(seed)) }
      let origin = scene.state
      guard !origin.hasEnded else { continue }
      var fork = SceneState(scene: "other", app: "shop", settings: origin.settings)
      let step = fork.apply(.begun(SceneOrigin(origin)), at: scene.time)
      #expect(step.seq == 1, "seed \(seed)")
      // What was under way goes on at once where it waited for a host.
      if origin.requests.isEmpty {
        #expect(fork.treeHash == origin.treeHash, "seed \(seed)")
        #expect(fork.coordinators.map(\.summary.screen) == origin.coordinators.map(\.summary.screen))
        #expect(fork.coordinators.map(\.state) == origin.coordinators.map(\.state))
        #expect(fork.plans == origin.plans, "seed \(seed)")
      }
      #expect(fork.primaryRenderer == nil)
      // Nothing is told to a host that does not know the scene.
      for effect in step.effects {
        switch effect {
        case .deliver: Issue.record("seed \(seed): \(effect)")
        default: break
        }
      }
      for report in fork.coordinators where report.phase != .connecting && !report.summary.host.isEmpty {
        if report.isUnclaimed || report.needsInput { continue }
        #expect(report.isSuspended, "seed \(seed): \(report.summary.screen)")
      }
      // A host takes all of it over, and goes on under its law.
      let lost = fork.suspended.map(\.summary.screen)
      let back = fork.apply(.hostBack(HostReturn(host: "shop-1", kept: false, resuming: lost)), at: scene.time)
      let resumed = back.effects.compactMap { if case .resume(let resumption) = $0 { resumption.screen } else { nil } }
      #expect(resumed == lost, "seed \(seed)")
      for screen in resumed {
        guard let lease = fork.screen(screen)?.lease else { continue }
        _ = fork.apply(.link(LinkReport(screen: screen, lease: lease, verdict: .accepted(Acceptance(host: "shop-1")))), at: scene.time)
        #expect(fork.screen(screen)?.isSuspended != true, "seed \(seed): \(screen)")
      }
      #expect(fork.treeHash == origin.treeHash || !origin.requests.isEmpty, "seed \(seed)")
      // Names are never used again, and a begun scene begins once.
      let again = fork.apply(.begun(SceneOrigin(origin)), at: scene.time)
      #expect(again.seq == nil && again.effects.isEmpty)
      let highest = origin.coordinators.map(\.summary.screen).max()
      var opening = Command.Opening(ModuleAddress(name: "Plain"))
      opening.unhosted = true
      let opened = fork.apply(
        .command(Command(txn: "after", caller: "me", action: .open(opening), policy: .reject)), at: scene.time)
      for case .answer(let answer) in opened.effects {
        if case .done(let outcome) = answer.resolution, let screen = outcome.screen, let highest { #expect(screen > highest) }
      }
      // Whatever was under way ends by its own deadlines.
      var time = scene.time
      for _ in 0..<10_000 {
        guard let wake = fork.wakeTime else { break }
        time = max(time, wake)
        _ = fork.apply(.timer, at: time)
      }
      #expect(fork.wakeTime == nil, "seed \(seed) does not come to rest")
      // Nobody is left waiting for a host that will not be asked.
      for report in fork.coordinators { #expect(!report.isSuspended || report.isUnclaimed, "seed \(seed): \(report.summary.screen)") }
    }
  }

  @Test("D2: what was remembered of answers is not the fork's: a txn of the other scene is done here, too (N2)")
  func memory() {
    var state = SceneState(scene: "main", app: "shop")
    var opening = Command.Opening(ModuleAddress(name: "Plain"), via: .root)
    opening.unhosted = true
    let command = Command(txn: "a", caller: "me", action: .open(opening))
    _ = state.apply(.command(command), at: .zero)
    var fork = SceneState(scene: "other", app: "shop")
    _ = fork.apply(.begun(SceneOrigin(state)), at: .zero)
    #expect(state.answer(to: "a") != nil && fork.answer(to: "a") == nil)
    #expect(fork.apply(.command(command), at: .zero).seq == 2)
  }
}
