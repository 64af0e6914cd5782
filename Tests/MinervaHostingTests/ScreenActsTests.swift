import Minerva
import MinervaNavigation
@testable import MinervaHosting
import MinervaWire
import Testing

@Suite("What a person does is checked against what is shown")
struct ScreenActsTests {
  private let screen = Screen("Form", buttons: [BarButton("close", "Close"), BarButton("add", "Add", isEnabled: false)]) {
    ListSection("rows") {
      Swipeable(Label("row", "a"), actions: ["delete", "pin"])
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
