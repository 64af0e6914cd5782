import Minerva
import MinervaHosting
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import Synchronization
import Testing

@Suite("Turns (K3)")
struct TurnTests {
  @Test("K3: what a handler asks for is one record, with the message's number and the state")
  func oneRecord() async throws {
    let host = try TestHost([
      .scripted([
        "go": { me in
          me.note("went")
          try me.context.output("one")
          try me.context.push(Counter.self, .init(start: 3))
          try me.context.output("two")
          try me.context.dismiss()
        }
      ])
    ])
    await host.open("Scripted", as: 7)
    await host.tap("go", on: 7)
    let turns = await host.broker.turns.first(2)
    #expect(turns[0].report.handled == nil)
    let turn = turns[1].report
    #expect(turn.number == 2 && turn.handled == 1 && turn.screen == ScreenID(7))
    #expect(turn.outputs.map { String(decoding: $0, as: UTF8.self) } == ["\"one\"", "\"two\""])
    #expect(turn.requests.map(\.action.verb) == ["open", "dismiss"])
    #expect(turn.requests.map(\.quiet) == [false, true])
    #expect(turn.state.map { String(decoding: $0, as: UTF8.self) } == #"{"log":["went"]}"#)
    #expect(turn.reply == .done && turns[1].rendering)
  }

  @Test("K3, D3: wishes to be woken are part of the turn's record, the last of a name counts, and the coordinator hears of its time")
  func wakes() async throws {
    let host = try TestHost([
      .scripted([
        "later": { me in
          try me.context.wake(after: .seconds(9), as: "a")
          try me.context.wake(after: .seconds(-1), as: "b")
          try me.context.wake(after: .seconds(Int64.max), as: "c")
          try me.context.forgetWake(as: "d")
          try me.context.wake(after: .milliseconds(1_500), as: "a")
        }
      ])
    ])
    await host.open("Scripted", as: 1)
    await host.tap("later", on: 1)
    await host.send(.timer("a"), to: 1)
    let turns = await host.broker.turns.first(3)
    #expect(
      turns[1].report.wakes == [
        TurnWake(name: "b", after: 1), TurnWake(name: "c", after: 9_007_199_254_740_000), TurnWake(name: "d", after: nil),
        TurnWake(name: "a", after: 1_500),
      ])
    #expect(turns[0].report.wakes == nil && turns[2].report.wakes == nil)
    #expect(turns[2].report.state.map { String(decoding: $0, as: UTF8.self) } == #"{"log":["timer a"]}"#)
  }

  @Test("K3: nothing is said before the handler ends, and one message is handled at a time")
  func oneAtATime() async throws {
    let gate = Gate()
    let host = try TestHost([
      .scripted([
        "slow": { me in
          try me.context.output("early")
          await gate.wait()
          me.note("slow")
        },
        "fast": { $0.note("fast") },
      ])
    ])
    await host.open("Scripted", as: 1)
    _ = await host.broker.turns.first(1)
    await host.tap("slow", on: 1)
    await host.tap("fast", on: 1)
    #expect(host.broker.said.filter { $0.hasPrefix("turn") } == ["turn s1.1"])
    gate.open()
    let turns = await host.broker.turns.first(2)
    #expect(turns.map(\.report.handled) == [1, 2])
    #expect(turns[1].report.state.map { String(decoding: $0, as: UTF8.self) } == #"{"log":["slow","fast"]}"#)
  }

  @Test("K3: a message that is delivered again is handled once")
  func duplicates() async throws {
    let host = try TestHost([.counter])
    await host.open("Counter", #"{"start":1}"#, as: 1)
    let tap = Message(number: 1, body: .act(.tap(row: "more", action: nil)))
    for _ in 0..<3 { await host.deliver(tap, to: 1) }
    await host.deliver(Message(number: 2, body: .act(.tap(row: "more", action: nil))), to: 1)
    let turns = await host.broker.turns.first(3)
    #expect(turns.map(\.report.handled) == [nil, 1, 2])
    #expect(turns.map { $0.report.state.map { String(decoding: $0, as: UTF8.self) } } == ["1", "2", "3"])
  }

  @Test("N7: a message whose predecessor has not come waits for it, and none is taken for old")
  func gaps() async throws {
    let host = try TestHost([.counter])
    await host.open("Counter", #"{"start":1}"#, as: 1)
    let tap = Message.Body.act(.tap(row: "more", action: nil))
    for number in [1, 3, 4, 2, 3, 4] as [UInt32] { await host.deliver(Message(number: number, body: tap), to: 1) }
    let turns = await host.broker.turns.first(5)
    #expect(turns.map(\.report.handled) == [nil, 1, 2, 3, 4])
  }

  @Test("N7: what is not kept any more is not waited for, and whoever waits for a child among it is told")
  func childrenLeft() async throws {
    let host = try TestHost([
      .scripted([
        "open": { me in
          let opening = try me.context.push(Counter.self, .init(start: 3))
          do { me.note("\(String(describing: try await opening.result))") } catch {
            me.note((error as? Refusal)?.code ?? (error as? MinervaError)?.code.rawValue ?? "")
          }
        }
      ])
    ])
    await host.open("Scripted", as: 1)
    await host.deliver(Message(number: 1, body: .act(.tap(row: "open", action: nil))), to: 1)
    let child = ScreenSummary(screen: ScreenID(2), module: "Counter", host: "test-1", path: .main, depth: 1, parent: ScreenID(1))
    let key = RequestKey(screen: ScreenID(1), turn: 2, index: 0)
    await host.deliver(
      Message(number: 2, body: .requestSettled(key, .done(Outcome(verb: "open", screen: ScreenID(2), presented: [child])))), to: 1)
    await host.deliver(Message(number: 90, body: .timer("a"), after: 80), to: 1)
    await host.deliver(Message(number: 99, body: .childrenLeft(through: ScreenID(7), open: [ScreenID(6)]), after: 2), to: 1)
    await host.deliver(Message(number: 100, body: .childrenLeft(through: ScreenID(8), open: [])), to: 1)
    let turns = await host.broker.turns.first(5)
    #expect(turns.map(\.report.handled) == [nil, 1, 2, 99, 100], "90 waits for 80")
    #expect(turns[3].report.state.map { String(decoding: $0, as: UTF8.self) } == #"{"log":["link.end_unknown"]}"#)
    #expect(turns[4].report.state == nil, "whoever heard of every end is told of none that it missed")
  }

  @Test("N7: of a child that left unheard the coordinator is told, also when a run that awaits another takes the message over")
  func childrenLeftUnheard() async throws {
    let host = try TestHost([
      .scripted([
        "open": { me in
          let opening = try me.context.push(Counter.self, .init(start: 3))
          _ = try me.context.push(Counter.self, .init(start: 4))
          do { me.note("\(String(describing: try await opening.result))") } catch { me.note((error as? Refusal)?.code ?? "") }
        }
      ])
    ])
    await host.open("Scripted", as: 1)
    await host.deliver(Message(number: 1, body: .act(.tap(row: "open", action: nil))), to: 1)
    for index in [0, 1] as [UInt32] {
      let screen = ScreenID(index + 2)
      let child = ScreenSummary(screen: screen, module: "Counter", host: "test-1", path: .main, depth: 1, parent: ScreenID(1))
      let key = RequestKey(screen: ScreenID(1), turn: 2, index: index)
      let done = Message.Body.requestSettled(key, .done(Outcome(verb: "open", screen: screen, presented: [child])))
      await host.deliver(Message(number: 2 + index, body: done), to: 1)
    }
    await host.deliver(Message(number: 99, body: .childrenLeft(through: ScreenID(7), open: []), after: 3), to: 1)
    var state: [UInt8]?
    for turn in await host.broker.turns.first(6) { state = turn.report.state ?? state }
    #expect(state.map { String(decoding: $0, as: UTF8.self) } == #"{"log":["link.end_unknown","refused link.end_unknown"]}"#)
  }

  @Test("N3: handlers whose opens were joined both hear of the one screen and of its end")
  func joined() async throws {
    let heard = [Gate(), Gate()]
    func step(_ gate: Gate) -> ScriptedCoordinator.Step {
      { me in
        let opening = try me.context.open(Counter.self, .init(start: 3), policy: .join)
        let screen = try await opening.screen
        _ = try? await opening.result
        me.note("\(screen)")
        gate.open()
      }
    }
    let host = try TestHost([.scripted(["one": step(heard[0]), "two": step(heard[1])])])
    await host.open("Scripted", as: 1)
    await host.tap("one", on: 1)
    await host.tap("two", on: 1)
    var turns = await host.broker.turns.first(3)
    #expect(turns[1...].map(\.report.requests.first?.policy) == [.join, .join])
    let child = ScreenSummary(screen: ScreenID(2), module: "Counter", host: "test-1", path: .main, depth: 1, parent: ScreenID(1))
    for turn in [2, 3] as [UInt32] {
      let outcome = Outcome(verb: "open", screen: ScreenID(2), presented: [child])
      await host.send(.requestSettled(RequestKey(screen: ScreenID(1), turn: turn, index: 0), .done(outcome)), to: 1)
    }
    await host.send(.childEnded(child: ScreenID(2), module: "Counter", reason: .popped, result: nil), to: 1)
    for gate in heard { await gate.wait() }
    await host.tap("look", on: 1)
    turns = await host.broker.turns.first(4)
    let log = turns.compactMap(\.report.state).last.map { String(decoding: $0, as: UTF8.self) }
    #expect(log == #"{"log":["s2","s2"]}"#)
  }

  @Test("N15: a message that could not reach its host is answered with the reason, and changes nothing")
  func undelivered() async throws {
    let host = try TestHost([.counter])
    await host.open("Counter", #"{"start":1}"#, as: 1)
    let refusal = Refusal(code: "bus.too_large", message: "too much")
    await host.send(.undelivered(refusal), to: 1)
    await host.tap("more", on: 1)
    let turns = await host.broker.turns.first(3)
    #expect(turns.map(\.report.handled) == [nil, 1, 2])
    #expect(turns[1].report.reply == .refused(refusal) && turns[1].report.state == nil)
    #expect(turns[2].report.reply == .done)
  }

  @Test("K3: a handler that throws is answered with its refusal, and nothing of it stays")
  func refusal() async throws {
    let host = try TestHost([
      .scripted([
        "bad": { me in
          me.note("never")
          try me.context.output("never")
          try me.context.push(Counter.self, .init(start: 3))
          throw MinervaError("app.no", "not today", details: ["day": "monday"])
        },
        "good": { $0.note("good") },
      ])
    ])
    await host.open("Scripted", as: 1)
    await host.tap("bad", on: 1)
    await host.tap("good", on: 1)
    let turns = await host.broker.turns.first(3)
    #expect(
      turns[1].report.reply == .refused(Refusal(code: "app.no", message: "not today", details: [.init(name: "day", value: "monday")])))
    #expect(turns[1].report.outputs.isEmpty && turns[1].report.requests.isEmpty && turns[1].report.state == nil)
    #expect(turns[2].report.state.map { String(decoding: $0, as: UTF8.self) } == #"{"log":["good"]}"#)
  }

  @Test("K3: an awaited result ends the turn, releases the mailbox, and goes on in a turn of its own")
  func awaitedResult() async throws {
    let host = try TestHost([
      .scripted([
        "ask": { me in
          let opening = try me.context.push(Counter.self, .init(start: 3))
          me.note("asked")
          let result = try await opening.result
          me.note("got \(result ?? -1)")
          try me.context.output("done")
        },
        "other": { $0.note("other") },
      ])
    ])
    await host.open("Scripted", as: 1)
    await host.tap("ask", on: 1)
    await host.tap("other", on: 1)
    var turns = await host.broker.turns.first(3)
    #expect(turns.map(\.report.handled) == [nil, 1, 2])
    #expect(turns[1].report.requests.count == 1 && turns[1].report.reply == .done)
    let child = ScreenSummary(screen: ScreenID(2), module: "Counter", host: "test-1", path: .main, depth: 2, parent: ScreenID(1))
    await host.send(
      .requestSettled(
        RequestKey(screen: ScreenID(1), turn: 2, index: 0),
        .done(Outcome(verb: "open", screen: ScreenID(2), presented: [child], changed: true))), to: 1)
    await host.send(.childEnded(child: ScreenID(2), module: "Counter", reason: .finished, result: Array("5".utf8)), to: 1)
    turns = await host.broker.turns.first(2)
    #expect(turns.map(\.report.handled) == [3, 4])
    #expect(turns[1].report.outputs.count == 1)
    #expect(turns[1].report.state.map { String(decoding: $0, as: UTF8.self) } == #"{"log":["asked","other","got 5"]}"#)
  }

  @Test("L5: an awaited child that was refused throws its refusal; one that left without a result gives nil")
  func awaitedEnds() async throws {
    let host = try TestHost([
      .scripted([
        "ask": { me in
          do {
            me.note("\(try await me.context.push(Counter.self, .init(start: 3)).result.map { "\($0)" } ?? "nil")")
          } catch let refusal as Refusal {
            me.note(refusal.code)
          }
        }
      ])
    ])
    await host.open("Scripted", as: 1)
    await host.tap("ask", on: 1)
    await host.send(
      .requestSettled(RequestKey(screen: ScreenID(1), turn: 2, index: 0), .refused(Refusal(code: "input.invalid", message: "no"))), to: 1)
    await host.tap("ask", on: 1)
    _ = await host.broker.turns.first(4)
    let key = RequestKey(screen: ScreenID(1), turn: 4, index: 0)
    await host.send(.requestSettled(key, .done(Outcome(verb: "open", screen: ScreenID(9), changed: true))), to: 1)
    await host.send(.childEnded(child: ScreenID(9), module: "Counter", reason: .popped, result: nil), to: 1)
    let turns = await host.broker.turns.first(2)
    #expect(turns[1].report.state.map { String(decoding: $0, as: UTF8.self) } == #"{"log":["input.invalid","nil"]}"#)
  }

  @Test("K3: after a resume the state is there, the turns go on counting, and children's results come as messages")
  func resume() async throws {
    let host = try TestHost([.scripted([:]), .counter])
    let verdict = await host.resume("Counter", #"{"start":1}"#, state: "41", nextTurn: 8, lease: 2, as: 1)
    guard case .accepted = verdict else { throw MinervaError(.badMessage, "\(verdict)") }
    await host.tap("more", on: 1, lease: 1)
    await host.tap("more", on: 1, lease: 2)
    let turns = await host.broker.turns.first(1)
    #expect(turns[0].report.number == 8 && turns[0].report.lease == 2)
    #expect(turns[0].report.state == Array("42".utf8))

    _ = await host.resume("Scripted", "{}", state: #"{"log":["before"]}"#, nextTurn: 3, lease: 2, as: 5)
    await host.send(.childEnded(child: ScreenID(9), module: "Counter", reason: .finished, result: Array("5".utf8)), to: 5, lease: 2)
    let next = await host.broker.turns.first(1)
    #expect(next[0].report.state.map { String(decoding: $0, as: UTF8.self) } == #"{"log":["before","result 5"]}"#)
  }

  @Test("K3: a state that is given back is no news, whatever the order of its keys was in the process that wrote it")
  func resumedUnchanged() async throws {
    let host = try TestHost([.scripted(["on": { $0.note("after") }])])
    _ = await host.resume("Scripted", "{}", state: #" { "log" : [ "before" ] } "#, nextTurn: 3, lease: 2, as: 5)
    await host.tap("on", on: 5, lease: 2)
    let turns = await host.broker.turns.first(1)
    #expect(turns[0].report.number == 3 && turns[0].report.handled == 1, "the first turn is that of the first message")
    #expect(turns[0].report.state.map { String(decoding: $0, as: UTF8.self) } == #"{"log":["before","after"]}"#)
  }

  @Test("A result is given once; what follows it in the turn is refused")
  func endsOnce() async throws {
    let host = try TestHost([
      .scripted([
        "end": { me in
          try me.context.finish("first")
          #expect(throws: MinervaError.self) { try me.context.finish("second") }
          #expect(throws: MinervaError.self) { try me.context.output("late") }
        }
      ])
    ])
    await host.open("Scripted", as: 1)
    await host.tap("end", on: 1)
    let turns = await host.broker.turns.first(2)
    #expect(turns[1].report.ending == .finish(Array(#""first""#.utf8)))
    #expect(turns[1].report.outputs.isEmpty)
  }

  @Test("A turn that the broker refuses ends the coordinator: its lease is over")
  func refusedTurn() async throws {
    let ended = Gate()
    let host = try TestHost([.scripted(["unload": { _ in ended.open() }, "go": { $0.note("x") }])])
    await host.open("Scripted", as: 1)
    _ = await host.broker.turns.first(1)
    host.broker.refuse(Refusal(code: "nav.stale_lease", message: "old"))
    await host.tap("go", on: 1)
    await ended.wait()
  }

  @Test("D3: a coordinator's time is that of its messages")
  func time() async throws {
    let host = try TestHost([.scripted(["look": { me in me.note("\(me.context.now.milliseconds)") }])])
    await host.open("Scripted", as: 1)
    await host.tap("look", on: 1)
    await host.tap("look", on: 1)
    #expect(await host.broker.turns.first(3)[2].report.state == Array(#"{"log":["1000","2000"]}"#.utf8))
  }

  @Test("C1, C4: the broker hears which command is executed, and under which gate")
  func gates() async throws {
    let host = try TestHost([
      .scripted([
        "accept": { me in
          let accept = PresentCommand("accept", Counter.self, via: .modal(.sheet), by: me.context, sharing: "answer")
          let decline = PresentCommand("decline", Counter.self, via: .modal(.sheet), by: me.context, sharing: "answer")
          try accept.execute(.init(start: 1))
          me.note("decline \(decline.isEnabled)")
        },
        "edit": { me in try PresentCommand("edit", Counter.self, via: .push, by: me.context).execute(.init(start: 1)) },
      ])
    ])
    await host.open("Scripted", as: 1)
    await host.tap("accept", on: 1)
    await host.tap("edit", on: 1)
    let turns = await host.broker.turns.first(3)
    #expect(turns.map { $0.report.requests.map(\.gate) } == [[], ["answer"], ["edit"]])
    #expect(turns[1].report.state == Array(#"{"log":["decline false"]}"#.utf8))
  }

  @Test("C1, K3: a coordinator that is made again has its commands disabled until what they present is gone")
  func gatesOfAnEarlierLife() async throws {
    let host = try TestHost([
      .scripted([
        "look": { me in
          let names = ["edit", "late"].filter { PresentCommand($0, Counter.self, via: .push, by: me.context).isEnabled }
          me.note(names.joined(separator: " "))
        }
      ])
    ])
    let key = RequestKey(screen: ScreenID(1), turn: 3, index: 0)
    let resumption = Resumption(
      screen: ScreenID(1), lease: 2, module: ModuleAddress(name: "Scripted"), host: "test-1", input: [], state: nil, nextTurn: 4,
      parent: nil, children: [], deadline: .zero,
      gates: [HeldGate(name: "edit", screen: ScreenID(7)), HeldGate(name: "late", request: key)])
    _ = await host.runtime.resume(ResumeOrder(scene: host.scene, resumption: resumption))
    await host.runtime.start(ScreenID(1), in: host.scene)
    await host.tap("look", on: 1, lease: 2)
    await host.send(.childEnded(child: ScreenID(7), module: "Counter", reason: .dismissed, result: nil), to: 1, lease: 2)
    await host.tap("look", on: 1, lease: 2)
    await host.send(.requestSettled(key, .refused(Refusal(code: "nav.busy", message: ""))), to: 1, lease: 2)
    await host.tap("look", on: 1, lease: 2)
    let state = await host.broker.turns.first(6).last?.report.state.map { String(decoding: $0, as: UTF8.self) }
    #expect(
      state
        == #"{"log":["","child s7 ended(MinervaNavigation.RemovalReason.dismissed)","edit","refused nav.busy","edit late"]}"#)
  }
}
