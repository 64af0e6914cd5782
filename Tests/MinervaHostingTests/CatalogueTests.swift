import Minerva
@testable import MinervaHosting
import MinervaNavigation
import MinervaWire
import Testing

/// Apps in files: what is wrong is said once, with its path, before anything runs.
@Suite("Catalogue apps")
struct CatalogueTests {
  private func read(_ text: String) throws(MinervaError) -> CatalogueFile {
    try CatalogueFile(parsing: Array(text.utf8), file: "shop.json")
  }

  private func complaint(_ text: String) -> String {
    do throws(MinervaError) {
      _ = try read(text)
      return "none"
    } catch {
      return error.code == .catalogInvalid ? error.message : "\(error)"
    }
  }

  /// A catalogue around the members of one module.
  private func home(_ members: String) -> String { #"{"app":"shop","start":"Home","modules":{"Home":{\#(members)}}}"# }

  @Test(
    "A bad catalogue is one error with the file and the path",
    arguments: [
      ("", "shop.json: "), ("[]", "shop.json: expected an object, found array of 0"),
      (#"{"app":"shop"}"#, "shop.json: modules: missing"),
      (#"{"app":"shop","modules":{}}"#, "shop.json: modules: expected an object of modules"),
      (#"{"app":7,"modules":{"Home":{}}}"#, "shop.json: app: expected a text, found integer 7"),
      (#"{"app":"shop","start":"Hme","modules":{"Home":{}}}"#, #"shop.json: start: no module "Hme"; there are Home"#),
      (#"{"app":"shop","start":"Home","modules":{"Home":{}},"rows":1}"#, #"shop.json: no key "rows" here"#),
      (#"{"app":"a","app":"b"}"#, "shop.json"),
    ])
  func badFiles(text: String, start: String) {
    let said = complaint(text)
    #expect(said.hasPrefix(start), "\(said)")
  }

  @Test(
    "A bad module is one error with the path inside it",
    arguments: [
      (#""input":{"id":"int"}"#, #"modules.Home.input.id: no type "int""#),
      (#""input":{"id":3}"#, "modules.Home.input.id: expected a type"),
      (#""input":["string","string"]"#, "modules.Home.input: an array has one type"),
      (#""rout":{}"#, #"modules.Home: no key "rout" here"#),
      (#""routes":{"x/:id":"Nope"}"#, #"modules.Home.routes["x/:id"]: no module "Nope""#),
      (#""routes":{"a//b":"Home"}"#, #"modules.Home.routes["a//b"]: write literals"#),
      (#""container":{"tabs":{"home":"Nope"}}"#, "modules.Home.container.tabs.home: no module"),
      (#""container":{"tabs":{"home":"Home"},"selected":"x"}"#, #"modules.Home.container.selected: no tab "x""#),
      (#""container":{}"#, "modules.Home.container: expected tabs"),
      (#""transitions":{"next":{"to":"Home","via":"sideways"}}"#, #"modules.Home.transitions.next.via: no way "sideways""#),
      (#""rows":[{"text":"x"}]"#, "modules.Home.rows[0].id: expected a text"),
      (#""rows":[{"id":"x","kind":"blob"}]"#, #"modules.Home.rows[0].kind: no kind "blob""#),
      (#""on":{"tapped x":[]}"#, #"modules.Home.on["tapped x"]: no such event"#),
      (#""on":{"tap x":[{"open":"Nope"}]}"#, #"modules.Home.on["tap x"][0].open: no module "Nope""#),
      (#""on":{"tap x":[{"open":"Home","finish":1}]}"#, #"modules.Home.on["tap x"][0]: expected one of"#),
      (#""on":{"tap x":[{"cancel":true,"via":"push"}]}"#, #"modules.Home.on["tap x"][0]: input and via belong to open"#),
      (#""on":{"tap x":{"open":"Home"}}"#, #"modules.Home.on["tap x"]: expected an array"#),
    ])
  func badModules(members: String, start: String) {
    let said = complaint(home(members))
    #expect(said.hasPrefix("shop.json: " + start), "\(said)")
  }

  @Test("A file that is not there is one error")
  func noFile() throws {
    let error = try #require(throws: MinervaError.self) { try CatalogueFile.read("/nowhere/shop.json") }
    #expect(error.code == .fileUnreadable)
  }

  @Test("Schemas, containers, routes and transitions are what the file says")
  func contents() throws {
    let file = try read(
      """
      {"app":"shop","start":"Home","links":{"schemes":["app"],"hosts":["shop"]},"modules":{
        "Home":{"input":{"section":"string?","kind":"a|b","pin":"secret string","ids":["integer"]},
          "routes":{"settings":{"to":"Settings","via":"modal","query":["section"]},"old":{"redirect":"settings"}},
          "container":{"tabs":{"x":"Settings","y":"Settings"},"selected":"y"},"transitions":{"more":"Settings"}},
        "Settings":{}}}
      """)
    #expect(file.offers.map(\.name) == ["Home.start", "Home", "Settings"])
    let home = try #require(file.offers.first { $0.name == "Home" })
    #expect(home.input.description == #"Home {section?: string, kind: "a" | "b", pin: string (secret), ids: [integer]}"#)
    #expect(try ModuleRegistry(file.offers).routes(from: "Home").count == 2)
    #expect(throws: MinervaError.self) { try home.checkInput(Array(#"{"kind":"c","pin":"1","ids":[]}"#.utf8)) }
    try home.checkInput(Array(#"{"kind":"a","pin":"1","ids":[4]}"#.utf8))
    #expect(file.appLinks?.scope.root == "Home")
  }
}
