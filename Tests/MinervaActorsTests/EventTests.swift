@testable import MinervaActors
import MinervaTransport
import MinervaWire
import Synchronization
import Testing

@Suite("Events", .timeLimit(.minutes(1)))
struct EventTests {
  /// Publishes until a first event arrives: what is published before a subscription stands is lost, as it must be expected (C06).
  private func warm(_ publisher: BusSystem, _ stream: AsyncStream<PublishedFrame>, topic: String) async -> PublishedFrame? {
    let publishing = Task {
      while !Task.isCancelled {
        publisher.publish(topic: topic, body: [0])
        // One at a time: a flood would be events lost after the first one.
        try? await ContinuousClock().sleep(for: .milliseconds(1))
      }
    }
    defer { publishing.cancel() }
    for await frame in stream { return frame }
    return nil
  }

  @Test("events arrive numbered, by whole topic: scene1 is not scene10", arguments: [Pair.Way.ipc, .inProcess])
  func topics(_ way: Pair.Way) async throws {
    try await Pair.with(way) { pair in
      let endpoint: Endpoint = way == .ipc ? try Endpoint("\(pair.endpoint)-events") : .inProcess(name: "events")
      try await pair.server.bindEvents(on: endpoint)
      let stream = try await pair.client.subscribe(to: endpoint, topics: ["scene1"])
      let first = try #require(await warm(pair.server, stream, topic: "scene1"))
      pair.server.publish(topic: "scene10", body: [10])
      pair.server.publish(topic: "scene1", body: [1, 2])
      var last = first.number
      for await frame in stream {
        #expect(frame.topic == "scene1")
        #expect(frame.number == last + 1)
        #expect(frame.incarnation == pair.server.incarnation)
        last = frame.number
        if frame.body == [1, 2] { break }
      }
    }
  }

  @Test("an event that nobody subscribed to is not made, and counts all the same", arguments: [Pair.Way.ipc, .inProcess])
  func unheard(_ way: Pair.Way) async throws {
    try await Pair.with(way) { pair in
      let endpoint: Endpoint = way == .ipc ? try Endpoint("\(pair.endpoint)-events") : .inProcess(name: "events")
      try await pair.server.bindEvents(on: endpoint)
      let made = Made()
      let server = pair.server
      @Sendable func publish(_ topic: String, _ body: [UInt8]) async {
        await server.onLoop {
          server.publish(topic: topic) {
            made.count.withLock { $0 += 1 }
            return body
          }
        }
      }
      for _ in 0..<7 { await publish("heard", [0]) }
      #expect(made.count.withLock { $0 } == 0)
      let stream = try await pair.client.subscribe(to: endpoint, topics: ["heard"])
      let publishing = Task {
        while !Task.isCancelled {
          await publish("heard", [1])
          await Task.yield()
        }
      }
      var frames = stream.makeAsyncIterator()
      let first = try #require(await frames.next())
      publishing.cancel()
      await publishing.value
      #expect(first.number > 7, "the seven before it count")
      let before = made.count.withLock { $0 }
      if way == .ipc {
        await publish("other", [2])
        #expect(made.count.withLock { $0 } == before, "nobody asked for that one")
      }
    }
  }

  @Test("C06: a subscriber that does not read loses its own events, sees the gap, and slows nobody")
  func slow() async throws {
    try await Pair.with { pair in
      let endpoint = try Endpoint("\(pair.endpoint)-events")
      try await pair.server.bindEvents(on: endpoint)
      let slow = try await pair.client.subscribe(to: endpoint, buffer: 16)
      let quick = try await pair.client.subscribe(to: endpoint, buffer: 1 << 20)
      let first = try #require(await warm(pair.server, quick, topic: "t"))
      let reading = Task {
        var last = first.number
        for await frame in quick {
          guard frame.number == last + 1 else { return false }
          last = frame.number
          if frame.body == [9] { return true }
        }
        return false
      }
      // In bounded bursts: the quick reader keeps up, the other one does not read at all.
      for burst in 0..<10 {
        for _ in 0..<200 { pair.server.publish(topic: "t", body: [1]) }
        let wanted = await pair.server.counters().eventsPublished
        _ = (burst, wanted)
      }
      pair.server.publish(topic: "t", body: [9])
      #expect(await reading.value)
      var numbers: [UInt64] = []
      for await frame in slow {
        numbers.append(frame.number)
        if frame.body == [9] { break }
      }
      #expect(numbers.count <= 17)
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    }
  }
}

/// How many events were made.
private final class Made: Sendable {
  let count = Mutex(0)
}
