public import Minerva

extension ShopApp {
  /// Two tabs: home and orders.
  public enum Shell: Module {
    public static let summary = "two tabs: home and orders"

    public static var routes: [ModuleRoute] {
      [ModuleRoute("home", to: Home.self, via: .tab("home")), ModuleRoute("orders", to: Orders.self, via: .tab("orders"))]
    }
  }

  /// The orders there are.
  public enum Orders: Module {
    public static let summary = "the orders there are"
    public static var routes: [ModuleRoute] { [ModuleRoute(":id", to: Order.self)] }
  }

  /// One order.
  public enum Order: Module {
    public struct Input: Codable, Sendable {
      public var id: Int
    }

    public static let summary = "one order"

    public static var routes: [ModuleRoute] {
      [ModuleRoute("items/:id", to: Item.self), ModuleRoute("refund", to: Refund.self, via: .modal(.sheet), query: ["reason"])]
    }
  }

  /// A wish for one's money.
  public enum Refund: Module {
    public struct Input: Codable, Sendable {
      public var reason: String?
    }

    public static let summary = "a wish for one's money"
  }

  /// One item of an order.
  public enum Item: Module {
    public struct Input: Codable, Sendable {
      public var id: Int
    }

    public static let summary = "one item of an order"
  }
}

actor ShellCoordinator: Coordinator {
  let context: Context<ShopApp.Shell>

  init(_ context: Context<ShopApp.Shell>) {
    self.context = context
  }

  func container() throws -> Container {
    .tabs([try .tab("home", ShopApp.Home.self, NoInput()), try .tab("orders", ShopApp.Orders.self, NoInput())])
  }

  func render() -> Screen {
    Screen("Shop", tabs: [TabItem("home", "Home"), TabItem("orders", "Orders")])
  }
}

actor OrdersCoordinator: Coordinator {
  struct State: Codable, Sendable {
    var orders = Array(1...9)
  }

  let context: Context<ShopApp.Orders>
  var state = State()

  init(_ context: Context<ShopApp.Orders>) {
    self.context = context
  }

  func handle(_ action: Action) throws {
    switch action {
    case .swipe(let row, action: "delete"): state.orders.removeAll { "\($0)" == row }
    case .tap("new"): state.orders.insert((state.orders.max() ?? 0) + 1, at: 0)
    case .tap(let row): if let id = Int(row) { try context.push(ShopApp.Order.self, .init(id: id)) }
    case .move(let row, let place, let other): state.orders.move(row, place, of: other) { "\($0)" }
    default: break
    }
  }

  func render() -> Screen {
    Screen("Orders", buttons: [BarButton("new", "New")]) {
      ListSection("orders") {
        for id in state.orders { Label("\(id)", "Order \(id)").swipeable("delete").reorderable() }
      }
    }
  }
}

actor OrderCoordinator: Coordinator {
  let context: Context<ShopApp.Order>
  private let id: Int

  init(_ input: ShopApp.Order.Input, _ context: Context<ShopApp.Order>) {
    self.context = context
    id = input.id
  }

  func handle(_ action: Action) throws {
    if case .tap(let row) = action, let item = Int(row) { try context.push(ShopApp.Item.self, .init(id: item)) }
  }

  func render() -> Screen {
    Screen("Order \(id)") {
      ListSection("items", header: "Items") {
        for item in 1...5 { Label("\(item)", "Item \(item)") }
      }
    }
  }
}

actor RefundCoordinator: Coordinator {
  let context: Context<ShopApp.Refund>
  var state: String

  init(_ input: ShopApp.Refund.Input, _ context: Context<ShopApp.Refund>) {
    self.context = context
    state = input.reason ?? ""
  }

  func handle(_ action: Action) throws {
    switch action {
    case .enter("reason", let reason): state = reason
    case .tap("close"): try context.cancel()
    default: break
    }
  }

  func render() -> Screen {
    Screen("Refund", buttons: [BarButton("close", "Close", side: .left)]) {
      ListSection("form") { TextInput("reason", "Reason", value: state, placeholder: "why") }
    }
  }
}

actor ItemCoordinator: Coordinator {
  let context: Context<ShopApp.Item>
  private let id: Int

  init(_ input: ShopApp.Item.Input, _ context: Context<ShopApp.Item>) {
    self.context = context
    id = input.id
  }

  func render() -> Screen {
    Screen("Item \(id)") {
      ListSection("item") { Label("text", "One item, number \(id)") }
    }
  }
}
