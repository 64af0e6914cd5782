import CommandKit
import ServiceKit
import SetKit

@main
enum Main {
  static let definition = CommandDefinition(
    "minerva-shell", "Speaks with the scenes of a running set",
    discussion: """
      With nothing running it starts a private set that serves the Shop app, and ends it when it leaves. Lines from a pipe are carried out \
      as a script: it stops at the first line that fails, unless --keep-going.
      """,
    options: SetOptions.reach + ShellCommand.options,
    examples: [.init("minerva-shell", "the set of the runtime directory"), .init("echo tree | minerva-shell", "one look")])

  static func main() async {
    await Program.main(definition, version: ProductVersion.text) { command, console in try await ShellCommand.run(command, console) }
  }
}
