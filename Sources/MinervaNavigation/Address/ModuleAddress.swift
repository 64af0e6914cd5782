/// The name under which a module is asked for: `Login`, `shop/Login`, `Login@shop-1`.
public struct ModuleAddress: Hashable, Sendable {
  /// The app whose module is meant; `nil` is the scene's own.
  public var app: String?
  /// The module's name.
  public var name: String
  /// The host it is pinned to (L6); `nil` lets the broker choose.
  public var host: String?

  /// Creates an address from its parts.
  public init(app: String? = nil, name: String, host: String? = nil) {
    self.app = app
    self.name = name
    self.host = host
  }
}

extension ModuleAddress: LosslessStringConvertible {
  /// Reads `[app/]Name[@host]`; `nil` (which callers answer with `module.bad_address`) if a part is empty or a separator is repeated.
  public init?(_ description: String) {
    let pinned = description.split(separator: "@", omittingEmptySubsequences: false)
    guard pinned.count <= 2 else { return nil }
    let named = pinned[0].split(separator: "/", omittingEmptySubsequences: false)
    guard named.count <= 2, !(named + pinned.dropFirst()).contains(where: \.isEmpty) else { return nil }
    app = named.count == 2 ? String(named[0]) : nil
    name = String(named[named.count - 1])
    host = pinned.count == 2 ? String(pinned[1]) : nil
  }

  public var description: String {
    (app.map { $0 + "/" } ?? "") + name + (host.map { "@" + $0 } ?? "")
  }
}

extension ModuleAddress: Codable, TextCoded {}
