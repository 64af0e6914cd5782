import MinervaSupervision
import MinervaWire
import Testing

@Suite("Supervision state machine") struct SupervisionStateMachineTests {
  typealias Machine = SupervisionStateMachine

  private func specification(_ name: String, stage: Int = 0, restart: ProcessSpecification.Restart = .always) -> ProcessSpecification {
    ProcessSpecification(name: name, kind: "test", executable: "/x", restart: restart, stage: stage)
  }

  private func seconds(_ value: Double) -> Duration { .milliseconds(Int(value * 1000)) }

  private func starts(_ actions: [Machine.Action]) -> [String] {
    actions.compactMap { if case .start(let specification, _) = $0 { specification.name } else { nil } }
  }

  private func terminated(_ actions: [Machine.Action]) -> [String] {
    actions.compactMap { if case .terminate(let name, _) = $0 { name } else { nil } }
  }

  @Test("A fallen process is started again after a doubling wait, each time a generation more")
  func backoff() {
    var random = Smallest()
    var machine = Machine(settings: .init(firstDelay: .milliseconds(100), longestDelay: .seconds(1), restartLimit: 20))
    #expect(machine.add(specification("a")) == [.start(specification("a"), generation: 1)])
    var now = Duration.zero
    var waits: [Duration] = []
    for pid: Int32 in 1...6 {
      _ = machine.started("a", pid: pid, at: now)
      _ = machine.exited("a", pid: pid, .signal(9), at: now, using: &random)
      let next = machine.nextDeadline ?? .zero
      waits.append(next - now)
      #expect(machine.tick(at: next - .milliseconds(1)).isEmpty, "not a moment early")
      now = next
      #expect(machine.tick(at: now) == [.start(specification("a"), generation: Int(pid) + 1)])
    }
    #expect(waits == [.milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800), .seconds(1), .seconds(1)])
    #expect(machine.statuses.first?.restarts == 6)
  }

  @Test("Jitter only shortens a wait, by half at most")
  func jitter() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var machine = Machine(settings: .init(firstDelay: .milliseconds(100)))
      _ = machine.add(specification("a"))
      _ = machine.started("a", pid: 1, at: .zero)
      _ = machine.exited("a", pid: 1, .status(1), at: .zero, using: &random)
      let wait = machine.nextDeadline ?? .zero
      #expect(wait >= .milliseconds(50) && wait <= .milliseconds(100))
    }
  }

  @Test("A process that ran long enough begins again with the first wait")
  func stable() {
    var random = Smallest()
    var machine = Machine(settings: .init(firstDelay: .milliseconds(100), stableAfter: .seconds(10)))
    _ = machine.add(specification("a"))
    var now = Duration.zero
    for pid: Int32 in 1...3 {
      _ = machine.started("a", pid: pid, at: now)
      _ = machine.exited("a", pid: pid, .status(1), at: now, using: &random)
      now = machine.nextDeadline ?? now
      _ = machine.tick(at: now)
    }
    _ = machine.started("a", pid: 4, at: now)
    now = now + .seconds(11)
    _ = machine.exited("a", pid: 4, .status(1), at: now, using: &random)
    #expect(machine.nextDeadline == now + .milliseconds(100))
  }

  @Test("Too many falls within the window and it is given up; restart gives a new chance")
  func givesUp() {
    var random = Smallest()
    var machine = Machine(settings: .init(firstDelay: .milliseconds(1), restartLimit: 3, window: .seconds(60)))
    _ = machine.add(specification("a"))
    var now = Duration.zero
    var last: [Machine.Action] = []
    for pid: Int32 in 1...4 {
      _ = machine.started("a", pid: pid, at: now)
      last = machine.exited("a", pid: pid, .signal(11), at: now, using: &random)
      if let next = machine.nextDeadline { now = next }
      _ = machine.tick(at: now)
    }
    #expect(last.contains(.report(.gaveUp(name: "a", restarts: 3, seconds: 60))))
    #expect(machine.statuses.first?.phase == .gaveUp)
    #expect(machine.nextDeadline == nil)
    #expect(starts(machine.restart("a", at: now)) == ["a"])
  }

  @Test("Falls spread wider than the window never give it up")
  func spreadFalls() {
    var random = Smallest()
    var machine = Machine(settings: .init(firstDelay: .milliseconds(1), restartLimit: 3, window: .seconds(60)))
    _ = machine.add(specification("a"))
    var now = Duration.zero
    for pid: Int32 in 1...50 {
      _ = machine.started("a", pid: pid, at: now)
      _ = machine.exited("a", pid: pid, .signal(11), at: now, using: &random)
      now = now + .seconds(21)
      #expect(starts(machine.tick(at: now)) == ["a"])
    }
  }

  @Test("What failed to start counts as a fall and says why")
  func failedToStart() {
    var random = Smallest()
    var machine = Machine(settings: .init(restartLimit: 0))
    _ = machine.add(specification("a"))
    let actions = machine.failedToStart("a", "no such file", at: .zero, using: &random)
    #expect(actions.first == .report(.failedToStart(name: "a", generation: 1, problem: "no such file")))
    #expect(machine.statuses.first?.phase == .gaveUp)
    #expect(machine.statuses.first?.lastProblem == "no such file")
  }

  @Test("A restart policy decides what an end means")
  func policies() {
    var random = Smallest()
    var machine = Machine()
    for (name, policy) in [("n", ProcessSpecification.Restart.never), ("f", .onFailure), ("a", .always)] {
      _ = machine.add(specification(name, restart: policy))
      _ = machine.started(name, pid: 1, at: .zero)
      _ = machine.exited(name, pid: 1, .status(0), at: .zero, using: &random)
    }
    #expect(machine.statuses.map(\.phase) == [.stopped, .stopped, .waiting])
  }

  @Test("The stages stop from the highest to the lowest, each when the one above is gone")
  func stopOrder() {
    var random = Smallest()
    var machine = Machine(settings: .init(grace: .seconds(1)))
    for (index, name) in ["broker", "diff", "host-1", "host-2"].enumerated() {
      _ = machine.add(specification(name, stage: [0, 1, 2, 2][index]))
      _ = machine.started(name, pid: Int32(index + 1), at: .zero)
    }
    #expect(terminated(machine.stopAll(at: .zero)) == ["host-1", "host-2"])
    #expect(machine.stopAll(at: .zero).isEmpty)
    #expect(terminated(machine.exited("host-1", pid: 3, .status(0), at: .zero, using: &random)).isEmpty)
    // host-2 ignores the request and is killed after its grace.
    #expect(machine.nextDeadline == .seconds(1))
    #expect(machine.tick(at: .seconds(1)).contains(.kill(name: "host-2", pid: 4)))
    #expect(terminated(machine.exited("host-2", pid: 4, .signal(9), at: .seconds(1), using: &random)) == ["diff"])
    #expect(terminated(machine.exited("diff", pid: 2, .status(0), at: .seconds(1), using: &random)) == ["broker"])
    #expect(machine.exited("broker", pid: 1, .status(0), at: .seconds(1), using: &random).last == .finished)
    #expect(machine.nextDeadline == nil)
  }

  @Test("Stopping starts nothing again, ends waits, and takes along what starts too late")
  func stopsEverything() {
    var random = Smallest()
    var machine = Machine()
    _ = machine.add(specification("waits"))
    _ = machine.started("waits", pid: 1, at: .zero)
    _ = machine.exited("waits", pid: 1, .status(1), at: .zero, using: &random)
    _ = machine.add(specification("late"))
    _ = machine.stopAll(at: .zero)
    #expect(terminated(machine.started("late", pid: 2, at: .zero)) == ["late"])
    #expect(starts(machine.tick(at: .seconds(100))).isEmpty)
    #expect(machine.add(specification("new")).isEmpty)
    #expect(machine.exited("late", pid: 2, .status(0), at: .zero, using: &random).last == .finished)
  }

  @Test("A process that not even SIGKILL ends keeps nobody waiting")
  func stuckInTheKernel() {
    var machine = Machine(settings: .init(grace: .seconds(1)))
    _ = machine.add(specification("a"))
    _ = machine.started("a", pid: 1, at: .zero)
    _ = machine.stopAll(at: .zero)
    _ = machine.tick(at: .seconds(1))
    #expect(machine.tick(at: .seconds(6)).last == .finished)
  }

  @Test("C07: a report of a process that is not the present one changes nothing")
  func staleExit() {
    var random = Smallest()
    var machine = Machine()
    _ = machine.add(specification("a"))
    _ = machine.started("a", pid: 7, at: .zero)
    #expect(machine.exited("a", pid: 6, .signal(9), at: .zero, using: &random).isEmpty)
    #expect(machine.exited("b", pid: 7, .signal(9), at: .zero, using: &random).isEmpty)
    #expect(machine.statuses.first?.phase == .running)
  }

  @Test("Random inputs: at most one live process a name, and stopping always finishes")
  func randomInputs() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for _ in 0..<300 {
      var machine = Machine(settings: .init(restartLimit: 2, window: .seconds(5)))
      var live: [String: Int32] = [:]
      var asked: [String] = []
      var now = Duration.zero
      var nextPid: Int32 = 100
      var finished = false

      func take(_ actions: [Machine.Action]) {
        for action in actions {
          switch action {
          case .start(let specification, _):
            #expect(live[specification.name] == nil, "seed \(seed)")
            asked.append(specification.name)
          case .terminate(let name, let pid), .kill(let name, let pid): #expect(live[name] == pid, "seed \(seed)")
          case .finished: finished = true
          case .report: break
          }
        }
      }
      func answerStarts() {
        while let name = asked.popLast() {
          if random.next() % 5 == 0 {
            take(machine.failedToStart(name, "x", at: now, using: &random))
          } else {
            nextPid += 1
            live[name] = nextPid
            take(machine.started(name, pid: nextPid, at: now))
          }
        }
      }

      for _ in 0..<60 {
        now = now + .milliseconds(Int64(random.next() % 700))
        let name = "p\(random.next() % 3)"
        switch random.next() % 6 {
        case 0: take(machine.add(specification(name, stage: Int(random.next() % 2))))
        case 1: take(machine.restart(name, at: now))
        case 2: take(machine.stop(name, at: now))
        case 3, 4:
          if let pid = live.removeValue(forKey: name) { take(machine.exited(name, pid: pid, .signal(9), at: now, using: &random)) }
        default: take(machine.tick(at: now))
        }
        answerStarts()
      }
      take(machine.stopAll(at: now))
      for _ in 0..<20 where !finished {
        for (name, pid) in live.sorted(by: { $0.key < $1.key }) where random.next() % 2 == 0 {
          live[name] = nil
          take(machine.exited(name, pid: pid, .status(0), at: now, using: &random))
        }
        now = now + .seconds(3)
        take(machine.tick(at: now))
      }
      #expect(finished, "seed \(seed)")
    }
  }
}

/// A generator that draws the smallest number of every range; 0 in place of 1 would be rejected as unfair for ever.
struct Smallest: RandomNumberGenerator {
  mutating func next() -> UInt64 { 1 }
}
