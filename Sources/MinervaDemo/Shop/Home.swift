public import Minerva

extension ShopApp {
  /// The first screen, from which everything else is reached.
  public enum Home: Module {
    public static let summary = "the first screen"

    /// What is in the tabs is reached through them.
    public static var routes: [ModuleRoute] {
      [
        ModuleRoute("settings", to: Settings.self, query: ["section"]),
        ModuleRoute("shop", to: Shell.self),
        .redirect("orders", to: "shop/orders"),
        ModuleRoute("profile/:userID", to: Profile.self),
        ModuleRoute("detail/:id", to: Detail.self),
        ModuleRoute("login", to: Login.self, via: .modal(.sheet), query: ["retry"]),
      ]
    }
  }

  /// A few settings; it tells its opener each change.
  public enum Settings: Module {
    public struct Input: Codable, Sendable {
      /// The section to begin with.
      public var section: String?
    }

    public struct Output: Codable, Sendable {
      public var theme: String
    }

    public static let summary = "a few settings; tells each change"
  }

  /// A person, by number.
  public enum Profile: Module {
    public struct Input: Codable, Sendable {
      public var userID: Int
    }

    public static let summary = "a person, by number"
  }

  /// Anything, by number.
  public enum Detail: Module {
    public struct Input: Codable, Sendable {
      public var id: Int
    }

    public static let summary = "anything, by number"
  }

  /// A form that ends with the name of whoever logged in.
  public enum Login: Module {
    public struct Input: Codable, Sendable {
      /// Set when a try before this one failed.
      public var retry: Bool?
    }

    public typealias Result = String
    public static let summary = "a form that ends with a name"
  }
}

actor HomeCoordinator: Coordinator {
  struct State: Codable, Sendable {
    var theme = "light"
    var name: String?
  }

  let context: Context<ShopApp.Home>
  var state = State()

  init(_ context: Context<ShopApp.Home>) {
    self.context = context
  }

  func handle(_ action: Action) throws {
    switch action {
    case .tap("settings"): try context.push(ShopApp.Settings.self, .init(section: nil))
    case .tap("profile"): try context.push(ShopApp.Profile.self, .init(userID: 42))
    case .tap("login"): try context.present(ShopApp.Login.self, .init(retry: nil))
    case .tap("shell"): try context.open(ShopApp.Shell.self, via: .push)
    default: break
    }
  }

  func child(_ event: ChildEvent) throws {
    if let change = try event.output(of: ShopApp.Settings.self) { state.theme = change.theme }
    if let name = try event.result(of: ShopApp.Login.self) { state.name = name }
  }

  func render() -> Screen {
    Screen("Home") {
      ListSection("home", header: state.name.map { "Hello \($0)" }) {
        DetailLabel("settings", "Settings", detail: "\(state.theme) theme")
        Label("profile", "Profile of 42")
        Label("shell", "Orders, in tabs")
        Button("login", state.name == nil ? "Log in" : "Log in as somebody else")
      }
    }
  }
}

actor ShopSettingsCoordinator: Coordinator {
  struct State: Codable, Sendable {
    var theme = "light"
    var sendsMail = true
  }

  let context: Context<ShopApp.Settings>
  var state = State()
  private var section: String?

  init(_ input: ShopApp.Settings.Input, _ context: Context<ShopApp.Settings>) {
    self.context = context
    section = input.section
  }

  func configure(_ input: ShopApp.Settings.Input) {
    section = input.section
  }

  func handle(_ action: Action) throws {
    switch action {
    case .enter("theme", let theme):
      state.theme = theme
      try context.output(.init(theme: theme))
    case .enter("mail", let value): state.sendsMail = value == "true"
    default: break
    }
  }

  func render() -> Screen {
    Screen("Settings") {
      ListSection("look", header: "Look") {
        Segmented("theme", value: state.theme, options: ["light", "dark"])
      }
      ListSection("privacy", header: section == "privacy" ? "Privacy, as asked for" : "Privacy") {
        Switch("mail", "Send me mail", isOn: state.sendsMail)
      }
    }
  }
}

actor ProfileCoordinator: Coordinator {
  let context: Context<ShopApp.Profile>
  private let userID: Int

  init(_ input: ShopApp.Profile.Input, _ context: Context<ShopApp.Profile>) {
    self.context = context
    userID = input.userID
  }

  func handle(_ action: Action) throws {
    if case .tap("detail") = action { try context.push(ShopApp.Detail.self, .init(id: userID)) }
  }

  func render() -> Screen {
    Screen("Profile") {
      ListSection("person") {
        ImagePlaceholder("portrait", "portrait of \(userID)")
        DetailLabel("number", "Number", detail: "\(userID)")
        Label("detail", "More")
      }
    }
  }
}

actor DetailCoordinator: Coordinator {
  let context: Context<ShopApp.Detail>
  private let id: Int

  init(_ input: ShopApp.Detail.Input, _ context: Context<ShopApp.Detail>) {
    self.context = context
    id = input.id
  }

  func render() -> Screen {
    Screen("Detail \(id)") {
      ListSection("detail") { Label("text", "Number \(id), and nothing else") }
    }
  }
}

actor LoginCoordinator: Coordinator {
  let context: Context<ShopApp.Login>
  var state = ""
  private var isRetry: Bool

  init(_ input: ShopApp.Login.Input, _ context: Context<ShopApp.Login>) {
    self.context = context
    isRetry = input.retry ?? false
  }

  func configure(_ input: ShopApp.Login.Input) {
    isRetry = input.retry ?? false
  }

  func handle(_ action: Action) throws {
    switch action {
    case .enter("name", let name): state = name
    case .tap("submit"): if state.isEmpty { isRetry = true } else { try context.finish(state) }
    case .tap("close"): try context.cancel()
    default: break
    }
  }

  func render() -> Screen {
    Screen("Log in", buttons: [BarButton("close", "Close", side: .left)]) {
      ListSection("form", footer: isRetry ? "A name is needed." : nil) {
        TextInput("name", "Name", value: state, placeholder: "your name")
        Button("submit", "Log in")
      }
    }
  }
}
