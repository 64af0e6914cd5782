import CommandKit
import MinervaInterfaces
import MinervaWire

/// Modules as `modules` lists them.
enum ModuleText {
  static func lines(_ modules: [ModuleListing], _ name: String?, isJSON: Bool) throws(MinervaError) -> [String] {
    let chosen = modules.filter { name == nil || $0.module.name == name }
    if let name, chosen.isEmpty {
      let hint = Suggestion.nearest(to: name, among: modules.map(\.module.name)).map { "; did you mean \($0)?" } ?? ""
      throw MinervaError(.moduleUnknown, "no module \"\(name)\"\(hint)")
    }
    if isJSON {
      return chosen.map { module in
        JSONLine([
          ("module", .text(module.module.name)), ("summary", .text(module.module.summary)),
          ("hosts", .array(module.hosts.map { .text($0) })), ("slots", .array(module.module.slots.map { .text($0) })),
          ("schema", module.module.schema.map { .json($0) } ?? .null),
        ]).text
      }
    }
    if name != nil, let module = chosen.first {
      return [
        "\(Escaping.visible(module.module.name))  \(Escaping.visible(module.module.summary))",
        "hosts   \(module.hosts.joined(separator: ", "))",
        "input   \(module.module.schema.map { input(of: $0) } ?? "no schema")",
      ] + (module.module.slots.isEmpty ? [] : ["slots   \(module.module.slots.joined(separator: ", "))"])
    }
    var table = TableText(["module", "hosts", "summary"])
    for module in chosen { table.add([module.module.name, module.hosts.joined(separator: " "), module.module.summary]) }
    return table.isEmpty ? ["no modules: no host is running"] : table.lines()
  }

  private static func input(of schema: String) -> String {
    Escaping.visible(SchemaTypes.schema(schema).map { $0.isOpaque ? "no schema" : $0.shape.description } ?? schema)
  }
}
