import Minerva
import MinervaNavigation
@testable import MinervaHosting
import MinervaWire
import Testing

@Suite("What a person does is checked against what is shown")
struct ScreenActsTests {
  private let screen = Screen("Form", buttons: [BarButton("close", "Close"), BarButton("add", "Add", isEnabled: false)]) {
    ListSection("rows") {
      Label("row", "a").swipeable("delete", "pin").reorderable()
      Label("text", "to be read").selectable(false)
      Segmented("theme", value: "light", options: ["light", "dark"])
      Separator()
      Button("off", "Off", isEnabled: false)
      TextInput("name", "Name", value: "")
      Picker("role", "Role", value: "a", options: ["a", "b"])
      Switch("mail", "Mail", isOn: true)
      Horizontal("pair") {
        Button("left", "L"); Button("right", "R", isEnabled: false)
      }
    }
  }

  @Test(
    "Possible acts reach the author",
    arguments: [
      (Command.Act.tap(row: "row", action: nil), Action.tap("row")),
      (.tap(row: "row", action: "pin"), .swipe("row", action: "pin")),
      (.swipe(row: "row", action: nil), .swipe("row", action: "delete")),
      (.tap(row: "close", action: nil), .tap("close")),
      (.tap(row: "left", action: nil), .tap("left")),
      (.tap(row: "mail", action: nil), .enter("mail", value: "false")),
      (.enter(field: "name", value: "x"), .enter("name", value: "x")),
      (.enter(field: "role", value: "b"), .enter("role", value: "b")),
      (.tap(row: "theme", action: "dark"), .enter("theme", value: "dark")),
      (.tap(row: "role", action: "b"), .enter("role", value: "b")),
      (.tap(row: "role", action: nil), .tap("role")),
      (.move(row: "row", before: true, other: "name"), .move("row", .before, of: "name")),
    ])
  func possible(act: Command.Act, action: Action) throws {
    #expect(try ScreenActs.action(act, on: screen) == action)
  }

  @Test(
    "Impossible ones are refused with what is there",
    arguments: [
      (Command.Act.tap(row: "nothing", action: nil), "screen.no_such_row"),
      (.tap(row: "row", action: "burn"), "screen.no_such_row"),
      (.swipe(row: "name", action: nil), "screen.no_such_row"),
      (.tap(row: "off", action: nil), "screen.disabled"),
      (.tap(row: "add", action: nil), "screen.disabled"),
      (.tap(row: "right", action: nil), "screen.disabled"),
      (.enter(field: "row", value: "x"), "screen.no_such_row"),
      (.enter(field: "close", value: "x"), "screen.no_such_row"),
      (.enter(field: "role", value: "c"), "input.invalid"),
      (.enter(field: "mail", value: "maybe"), "input.invalid"),
      (.move(row: "row", before: true, other: "nothing"), "screen.no_such_row"),
      (.move(row: "row", before: true, other: "close"), "screen.no_such_row"),
      (.move(row: "name", before: true, other: "row"), "screen.not_reorderable"),
      (.move(row: "off", before: true, other: "row"), "screen.disabled"),
      (.tap(row: "text", action: nil), "screen.not_selectable"),
      (.tap(row: "separator", action: nil), "screen.not_selectable"),
      (.tap(row: "theme", action: nil), "screen.no_such_row"),
      (.tap(row: "theme", action: "blue"), "input.invalid"),
      (.swipe(row: "theme", action: "dark"), "screen.no_such_row"),
      (.execute(command: "edit", input: nil), "screen.no_such_row"),
    ])
  func impossible(act: Command.Act, code: String) {
    #expect { _ = try ScreenActs.action(act, on: screen) } throws: { ($0 as? MinervaError)?.code.rawValue == code }
  }

  @Test("An alert's answers are tapped, a disabled command is not executed")
  func alertsAndCommands() throws {
    #expect(try ScreenActs.action(.tap(row: "ok", action: nil), on: Screen(alert: AlertForm(title: "t", message: "m"))) == .tap("ok"))
    var commanded = screen
    commanded.commands = [
      .init(name: "edit", isEnabled: true, isExecuting: false), .init(name: "busy", isEnabled: false, isExecuting: true),
    ]
    #expect(try ScreenActs.action(.execute(command: "edit", input: nil), on: commanded) == .execute("edit", payload: nil))
    #expect { _ = try ScreenActs.action(.execute(command: "busy", input: nil), on: commanded) } throws: {
      ($0 as? MinervaError)?.code == "command.disabled"
    }
  }
}

@Suite("Secrets stay in their host")
struct HostSecretTests {
  private let form = Screen("Form") {
    ListSection("rows") {
      Label("title", "A form")
      TextInput("name", "Name", value: "ada")
      TextInput("password", "Password", value: "hunter2", isSecret: true)
      Horizontal("pair") {
        Switch("mail", "Mail", isOn: true)
        TextInput("pin", "PIN", value: "1234", isSecret: true)
      }
    }
  }

  @Test("P4: of a secret value only its length leaves the host")
  func masked() throws {
    let bytes = try ScreenRendering(form).encoded()
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains("hunter2") && !text.contains("1234") && text.contains("ada"))
    #expect(ScreenRendering(form).lines(width: 40).contains { $0.contains("•••••••") })
  }

  @Test("P4: a screen with secret fields names those that are none; a screen without says nothing")
  func plain() {
    #expect(form.plainFields == ["name", "mail"])
    #expect(Screen("Plain") { ListSection("a") { TextInput("name", "Name", value: "") } }.plainFields == nil)
    let twice = Screen("Twice") {
      ListSection("a") { TextInput("x", "X", value: "") }
      ListSection("b") { TextInput("x", "X", value: "", isSecret: true) }
    }
    #expect(twice.plainFields == [])
  }

  @Test("P4: what was lost with a broker is refused in words")
  func lost() {
    #expect { _ = try ScreenActs.action(.enterSealed(field: "password", Seal(7)), on: form) } throws: {
      ($0 as? MinervaError)?.code == .inputLost
    }
  }

  private enum Vault: Module {
    struct Input: Codable, Sendable {
      @Secret var pin: Int
    }
  }

  private enum Leaky: Module {
    struct Output: Codable, Sendable {
      @Secret var pin: Int
    }
  }

  private actor VaultCoordinator: Coordinator {
    let context: Context<Vault>
    init(_ input: Vault.Input, _ context: Context<Vault>) { self.context = context }
  }

  private actor LeakyCoordinator: Coordinator {
    let context: Context<Leaky>
    init(_ context: Context<Leaky>) { self.context = context }
  }

  @Test("P4: a refused input does not repeat the secret in its text")
  func refusedInputs() async throws {
    let host = try TestHost([ModuleOffer(VaultCoordinator.init)])
    guard case .refused(let refusal) = await host.open("Vault", #"{"pin":"hunter2"}"#, as: 1) else {
      Issue.record("accepted")
      return
    }
    #expect(refusal.code == "input.invalid")
    #expect(!refusal.message.contains("hunter2"))
  }

  @Test("P4: a module whose outputs, results or state would be journaled with a secret is not offered")
  func exposed() {
    #expect { _ = try ModuleRegistry([ModuleOffer(LeakyCoordinator.init)]) } throws: {
      ($0 as? MinervaError)?.code == .moduleSecretExposed
    }
  }
}
