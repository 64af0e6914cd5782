public import Minerva

/// An app as a host runs it: its name, where a scene begins, and its modules.
///
/// ```swift
/// @main struct Host: HostApp {
///   static let app = "shop"
///   static let start: String? = "Shop"
///   static let modules = [ModuleOffer(ShopCoordinator.init), ModuleOffer(HomeCoordinator.init)]
/// }
/// ```
public protocol HostApp: SendableMetatype {
  /// The name under which the host registers; modules are resolved inside it.
  static var app: String { get }
  /// The module that a new scene begins with; its coordinator opens the first screen.
  static var start: String? { get }
  /// What the app's links begin with; `nil` for an app without links.
  static var links: AppLinks? { get }
  /// The modules of the app.
  static var modules: [ModuleOffer] { get throws }
}

extension HostApp {
  public static var links: AppLinks? { nil }
}
