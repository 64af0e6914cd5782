/// The path of a route relative to its module: `items/:id`, `search/:term?`, `files/*rest`.
public struct RoutePattern: Hashable, Sendable {
  /// One segment, the more specific before the less.
  public enum Segment: Hashable, Sendable {
    /// Exactly this text.
    case literal(String)
    /// Any one segment, under a name.
    case parameter(String)
    /// One segment or none; only before other optional ones and the end.
    case optional(String)
    /// All that is left, at least one segment; only at the end.
    case wildcard(String)

    /// How late it is tried: literal before parameter before optional before wildcard (R1).
    var rank: Int {
      switch self {
      case .literal: 0
      case .parameter: 1
      case .optional: 2
      case .wildcard: 3
      }
    }

    /// What it is without the name it gives: two patterns of the same shapes cannot be told apart.
    var shape: String {
      if case .literal(let text) = self { "=\(text)" } else { "\(rank)" }
    }
  }

  /// The segments in order; at least one.
  public let segments: [Segment]

  /// The pattern that takes everything, under the name `rest`.
  public static let any = RoutePattern([.wildcard("rest")])

  private init(_ segments: [Segment]) {
    self.segments = segments
  }

  /// How much of a path a pattern takes, and the values it gives.
  struct Match: Hashable {
    var count: Int
    var values: [RouteValue]
  }

  /// The names it gives to values.
  package var names: [String] {
    segments.compactMap { segment -> String? in
      switch segment {
      case .literal: nil
      case .parameter(let name), .optional(let name), .wildcard(let name): name
      }
    }
  }

  /// Whether the beginning of a path is one of its.
  package func matches(_ path: ArraySlice<String>) -> Bool { match(path) != nil }

  /// Matches the beginning of a path; `nil` if it does not.
  func match(_ path: ArraySlice<String>) -> Match? {
    var match = Match(count: 0, values: [])
    for segment in segments {
      let next = path.dropFirst(match.count).first
      switch segment {
      case .literal(let text):
        guard next == text else { return nil }
        match.count += 1
      case .parameter(let name):
        guard let next else { return nil }
        match.values.append(RouteValue(name: name, value: next))
        match.count += 1
      case .optional(let name):
        guard let next else { continue }
        match.values.append(RouteValue(name: name, value: next))
        match.count += 1
      case .wildcard(let name):
        guard next != nil else { return nil }
        for value in path.dropFirst(match.count) { match.values.append(RouteValue(name: name, value: value)) }
        match.count = path.count
      }
    }
    return match.count > 0 ? match : nil
  }

  /// Whether this pattern is tried before another one: segment by segment from the left, then the longer one.
  func precedes(_ other: RoutePattern) -> Bool {
    for (mine, theirs) in zip(segments, other.segments) where mine.rank != theirs.rank { return mine.rank < theirs.rank }
    if segments.count != other.segments.count { return segments.count > other.segments.count }
    return description < other.description
  }

  /// The shapes of its segments.
  var shape: [String] { segments.map(\.shape) }
}

/// A value that a link gives to a module, by name. A wildcard's name comes once for each segment.
public struct RouteValue: Hashable, Sendable, Codable {
  /// The name.
  public let name: String
  /// The value, decoded.
  public let value: String

  /// Creates a value.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

extension RoutePattern: LosslessStringConvertible {
  /// Reads segments between slashes; `nil` for empty ones, unnamed or repeated names, and kinds in an order that cannot match.
  public init?(_ description: String) {
    var segments: [Segment] = []
    var names: Set<String> = []
    for part in description.split(separator: "/", omittingEmptySubsequences: false) {
      if case .wildcard? = segments.last { return nil }
      let segment: Segment
      var name: Substring?
      if part.hasPrefix(":"), part.hasSuffix("?") {
        name = part.dropFirst().dropLast()
        segment = .optional(String(name ?? ""))
      } else if part.hasPrefix(":") {
        name = part.dropFirst()
        segment = .parameter(String(name ?? ""))
      } else if part.hasPrefix("*") {
        name = part.dropFirst()
        segment = .wildcard(String(name ?? ""))
      } else {
        guard !part.isEmpty else { return nil }
        segment = .literal(String(part))
      }
      if let name, name.isEmpty || !names.insert(String(name)).inserted { return nil }
      if case .optional? = segments.last, segment.rank != 2 { return nil }
      segments.append(segment)
    }
    if segments.allSatisfy({ $0.rank == 2 }) { return nil }
    self.segments = segments
  }

  public var description: String {
    segments.map { segment in
      switch segment {
      case .literal(let text): text
      case .parameter(let name): ":\(name)"
      case .optional(let name): ":\(name)?"
      case .wildcard(let name): "*\(name)"
      }
    }.joined(separator: "/")
  }
}

extension RoutePattern: Codable, TextCoded {}
