import Minerva

enum Item: Module {
  struct Input: Codable, Sendable { var id: Int }
}

enum Order: Module {
  struct Input: Codable, Sendable { var id: Int }
  static var routes: [ModuleRoute] { [ModuleRoute("items/:id", to: Item.self)] }
}
