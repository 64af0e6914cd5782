import MinervaNavigation
import SceneModels
import Testing

@Suite("Routes")
struct RouteTests {
  private func route(_ from: String, _ pattern: String, _ module: String, via: Presentation = .push, query: [String] = []) throws -> Route {
    Route(from: from, try #require(RoutePattern(pattern)), module: module, via: via, query: query)
  }

  /// The shop of the transcripts.
  private func shop() throws -> RouteTable {
    var table = RouteTable(root: "Shell", schemes: ["app"], hosts: ["shop"])
    try table.add(route("Shell", "orders", "Orders", via: .tab("orders")))
    try table.add(route("Orders", ":id", "Order"))
    try table.add(route("Order", "refund", "Refund", via: .modal(.sheet), query: ["reason"]))
    try table.add(route("Order", "items/:id", "Item"))
    return table
  }

  private func refusal(_ body: () throws -> Void) -> Refusal? {
    do {
      try body()
      return nil
    } catch {
      return error as? Refusal
    }
  }

  @Test("R1: a link is followed hop by hop, each by the routes of the module before it")
  func follows() throws {
    let hops = try shop().resolve(DeepLinkURL("APP://Shop/orders/9/items/4/"))
    #expect(hops.map(\.route.module) == ["Orders", "Order", "Item"])
    #expect(hops.map { $0.values.map(\.value) } == [[], ["9"], ["4"]])
  }

  @Test("R3: a refusal tells what matched, what is left and what there is")
  func tells() throws {
    let table = try shop()
    let found = refusal { _ = try table.resolve(DeepLinkURL("app://shop/orders/9/itmes/4")) }
    #expect(
      found?.description
        == "route.no_match: matched shop/orders/9, nothing matches \"itmes/4\" under Order (has: items/:id, refund)")
    #expect(refusal { _ = try table.resolve(DeepLinkURL("web://shop/orders")) }?.code == "route.no_match")
    #expect(refusal { _ = try table.resolve(DeepLinkURL("app://shop/orders?x=1")) }?.code == "route.invalid_url")
    #expect(refusal { _ = try table.resolve(DeepLinkURL("app://shop/orders/1/refund?reason=a&reason=b")) }?.code == "route.invalid_url")
  }

  @Test("R1: literal before parameter before optional before wildcard, the longer at a tie, whatever the order of registration")
  func order() throws {
    let patterns = ["*rest", ":a", "x", "x/:b", ":a/y", "x/:b?", "z/:c?"]
    for rotation in patterns.indices {
      var table = RouteTable(root: "R", schemes: ["a"], hosts: ["h"])
      for index in patterns.indices {
        let pattern = patterns[(index + rotation) % patterns.count]
        try table.add(route("R", pattern, pattern))
      }
      func leads(_ path: String) throws -> String? { try table.resolve(DeepLinkURL("a://h/" + path)).first?.route.module }
      #expect(try leads("x/1") == "x/:b")
      #expect(try leads("x") == "x/:b?")
      #expect(try leads("q") == ":a")
      #expect(try leads("q/y") == ":a/y")
      #expect(try leads("q/r/s") == "*rest")
      #expect(try leads("z") == "z/:c?")
    }
  }

  @Test("R1: what cannot be told apart is refused when it is added")
  func ambiguous() throws {
    var table = try shop()
    let twin = try route("Orders", ":number", "Other")
    #expect(refusal { try table.add(twin) }?.code == "route.ambiguous")
    let same = try route("Orders", ":id", "Order")
    #expect(refusal { try table.add(same) } == nil)
  }

  @Test("R1: context that is needed and not given is refused, and another route is tried first")
  func context() throws {
    var table = RouteTable(root: "R", schemes: ["a"], hosts: ["h"])
    try table.add(Route(from: "R", try #require(RoutePattern("inbox")), module: "Inbox", context: ["account"]))
    #expect(
      refusal { _ = try table.resolve(DeepLinkURL("a://h/inbox")) }?.description
        == "route.wrong_context: inbox under R needs account with the link")
    #expect(try table.resolve(DeepLinkURL("a://h/inbox"), context: ["account"]).count == 1)
  }

  @Test("a route that leads nowhere further gives way to one that does")
  func backtracks() throws {
    var table = RouteTable(root: "R", schemes: ["a"], hosts: ["h"])
    try table.add(route("R", "a/:x", "Leaf"))
    try table.add(route("R", "a", "Branch"))
    try table.add(route("Branch", ":x/b", "Goal"))
    #expect(try table.resolve(DeepLinkURL("a://h/a/1/b")).map(\.route.module) == ["Branch", "Goal"])
  }

  @Test("patterns that cannot be meant do not read", arguments: ["", "/", "a//b", ":", "*", "*a/b", ":a/:a", ":a?/b", ":a?", ":a?/:b?"])
  func badPatterns(text: String) {
    #expect(RoutePattern(text) == nil)
  }

  @Test("R6, E05: a link is split first and each part decoded once")
  func decoding() throws {
    #expect(try DeepLinkURL("m://u/a%2Fb").segments == ["a/b"])
    #expect(try DeepLinkURL("m://u/a%252Fb").segments == ["a%2Fb"])
    #expect(try DeepLinkURL("m://u/100%25").segments == ["100%"])
    #expect(try DeepLinkURL("m://u/a+b").segments == ["a+b"])
    #expect(try DeepLinkURL("m://u/%E3%82%A6").segments == ["ウ"])
    #expect(try DeepLinkURL("m://u?q=a+b%2Bc%20d").query == [.init(name: "q", value: "a+b+c d")])
    #expect(try DeepLinkURL("m://u?b&c=&e=1=2").query.map(\.value) == [nil, "", "1=2"])
    #expect(try DeepLinkURL("m://u?tag=1&tag=2").query.count == 2)
  }

  @Test(
    "R6: malformed links are refused",
    arguments: [
      "", "m:/u", "://u", "m://", "m:///a", "m://u/%", "m://u/%4", "m://u/%zz", "m://u/%FF", "m://u//a", "m://u/a#b", "1m://u", "m://u?=d",
      "m://u?a=%C3%28", "m m://u",
    ])
  func malformed(text: String) {
    #expect(refusal { _ = try DeepLinkURL(text) }?.code == "route.invalid_url")
  }

  @Test("R6: a link built from parts reads back to them", arguments: 1...50 as ClosedRange<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let alphabet: [Character] = ["a", "/", "%", "+", " ", "ö", "日", "?", "&", "=", "#", "\u{0308}", "2", "F", "\u{1F468}"]
    func word() -> String { String((0...dice.roll(6)).map { _ in dice.pick(alphabet) ?? "a" }) }
    for _ in 0..<50 {
      let segments = (0..<dice.roll(5)).map { _ in word() }
      let query = (0..<dice.roll(3)).map { _ in DeepLinkURL.Item(name: word(), value: dice.once(in: 4) ? nil : word()) }
      let link = try DeepLinkURL(DeepLinkURL.text(scheme: "app", host: "shop", segments: segments, query: query))
      #expect(link.segments.map { Array($0.utf8) } == segments.map { Array($0.utf8) })
      #expect(link.query == query)
    }
  }
}
