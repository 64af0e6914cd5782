import ListDiff
import Minerva

@main enum Main {
  static func main() async throws {
    let client = try await Client.connect(to: Endpoint(CommandLine.arguments[1]), name: "lists", patience: .seconds(10))
    var (old, new) = (DiffRows(), DiffRows())
    for id in ["a", "b", "c"] { old.append(id.utf8, content: 0) }
    for id in ["b", "c", "a"] { new.append(id.utf8, content: id == "c" ? 1 : 0) }
    let result = try await DiffClient(client).changes(from: old, to: new)
    let changes = try result.changeSet()
    print(changes.moves.map { "\($0.from) to \($0.to)" }, changes.updates.map(\.new), "by", result.worker)
    await client.close()
  }
}
