/// The address of a stack or a slot in a scene's tree: `main`, `main/orders`, `modal[1]/detail`, `main/slot:header`.
///
/// Each segment is relative to the innermost container reached so far: the topmost screen of the stack that has it.
public struct NavPath: Hashable, Sendable {
  /// One step into the container of a screen.
  public enum Segment: Hashable, Sendable {
    /// The stack of the tab with this name.
    case tab(String)
    /// The primary stack of a split.
    case primary
    /// The detail stack of a split.
    case detail
    /// The embedded child in the slot with this name.
    case slot(String)
  }

  /// The layer from the bottom: 0 is `main`, 1 is `modal[1]`.
  public var layer: Int
  /// The steps from the layer's stack inwards.
  public var segments: [Segment]

  /// Creates the path of a stack; without segments it is the layer's own stack.
  public init(layer: Int = 0, segments: [Segment] = []) {
    self.layer = layer
    self.segments = segments
  }

  /// The stack of the root layer.
  public static let main = NavPath()

  /// Returns the path one step further in.
  public func appending(_ segment: Segment) -> NavPath {
    NavPath(layer: layer, segments: segments + [segment])
  }
}

extension NavPath.Segment: LosslessStringConvertible {
  /// Reads `primary`, `detail`, `slot:NAME`, or a tab's name; `nil` if the name is empty.
  public init?(_ description: String) {
    switch description {
    case "": return nil
    case "primary": self = .primary
    case "detail": self = .detail
    case _ where description.hasPrefix("slot:"):
      guard description.utf8.count > 5 else { return nil }
      self = .slot(String(description.dropFirst(5)))
    default: self = .tab(description)
    }
  }

  public var description: String {
    switch self {
    case .tab(let name): name
    case .primary: "primary"
    case .detail: "detail"
    case .slot(let name): "slot:\(name)"
    }
  }

  /// Whether a tab may bear this name: it reads back as a tab and holds no slash.
  package static func isTabName(_ name: String) -> Bool {
    !name.utf8.contains(UInt8(ascii: "/")) && NavPath.Segment(name) == .tab(name)
  }

  /// Whether a slot may bear this name.
  package static func isSlotName(_ name: String) -> Bool {
    !name.isEmpty && !name.utf8.contains(UInt8(ascii: "/"))
  }
}

extension NavPath: LosslessStringConvertible {
  /// Reads `layer {/ segment}`; `nil` if the layer is neither `main` nor `modal[N]` with N from 1, or a segment is empty.
  public init?(_ description: String) {
    var parts = description.split(separator: "/", omittingEmptySubsequences: false)[...]
    guard let head = parts.popFirst() else { return nil }
    if head == "main" {
      layer = 0
    } else if head.hasPrefix("modal["), head.hasSuffix("]"), let number = UInt16(head.dropFirst(6).dropLast()), number > 0 {
      layer = Int(number)
    } else {
      return nil
    }
    segments = []
    for part in parts {
      guard let segment = Segment(String(part)) else { return nil }
      segments.append(segment)
    }
  }

  public var description: String {
    let head = layer == 0 ? "main" : "modal[\(layer)]"
    return segments.reduce(into: head) { text, segment in text += "/" + segment.description }
  }
}

extension NavPath: Codable, TextCoded {}
