public import Minerva
public import MinervaHosting

/// A small app to try things on: what `minerva-shell` serves when nothing else runs.
public enum ShopApp: HostApp {
  public static let app = "shop"
  public static let start: String? = Start.name
  public static let links: AppLinks? = AppLinks(root: Home.self, schemes: ["app"], hosts: ["shop"])

  /// Where every scene begins; it shows the home screen.
  public enum Start: Module {
    public static let name = "Shop"
    public static let summary = "where a scene begins"
  }

  public static var modules: [ModuleOffer] {
    [
      ModuleOffer(ShopStartCoordinator.init),
      ModuleOffer(HomeCoordinator.init),
      ModuleOffer(ShopSettingsCoordinator.init),
      ModuleOffer(ProfileCoordinator.init),
      ModuleOffer(DetailCoordinator.init),
      ModuleOffer(LoginCoordinator.init),
      ModuleOffer(AlertCoordinator.init),
      ModuleOffer(ShellCoordinator.init),
      ModuleOffer(OrdersCoordinator.init),
      ModuleOffer(OrderCoordinator.init),
      ModuleOffer(RefundCoordinator.init),
      ModuleOffer(ItemCoordinator.init),
      ModuleOffer(FeedCoordinator.init),
      ModuleOffer(PostCoordinator.init),
    ]
  }
}

actor ShopStartCoordinator: Coordinator {
  struct State: Codable, Sendable {
    var isStarted = false
  }

  let context: Context<ShopApp.Start>
  var state = State()

  init(_ context: Context<ShopApp.Start>) {
    self.context = context
  }

  func load() throws {
    guard !state.isStarted else { return }
    state.isStarted = true
    try context.open(ShopApp.Home.self, via: .root)
  }
}
