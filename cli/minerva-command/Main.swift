import BenchKit
import CommandKit
import DiffKit
import JournalKit
import LoadKit
import ServiceKit
import SetKit
import ShellKit

@main
enum Main {
  static func main() async {
    await Program.main(CommandTree.root, version: ProductVersion.text) { command, console in
      switch command.path.dropFirst().first {
      case "shell": return try await ShellCommand.run(command, console)
      case "demo": return try await DemoCommand.run(command, console)
      case "up": return try await UpCommand.run(command, console)
      case "down": return try await DownCommand.run(command, console)
      case "status": return try await StatusCommand.run(command, console)
      case "run": return try await RunCommand.run(command, console)
      case "diff" where command.flag("via-worker"): return try await DiffViaWorker.run(command, console)
      case "diff": return try await DiffCommand.run(command, console)
      case "doctor": return try await DoctorCommand.run(command, console)
      case "logs": return try await LogsCommand.run(command, console)
      case "bench" where command.name == "diff": return try DiffBenchCommand.run(command, console)
      case "bench" where command.name == "broker": return try await BrokerBenchCommand.run(command, console)
      case "bench": return try await BenchCommand.run(command, console)
      case "load": return try await LoadDiffCommand.run(command, console)
      case "simulate": return try SimulateCommand.run(command, console)
      case "journal": return try JournalCommand.run(command, console)
      case "keys": return try await KeysCommand.run(command, console)
      case "version":
        try console.out.line(
          command.flag("json") ? JSONLine([("version", .text(ProductVersion.text))]).text : "minerva \(ProductVersion.text)")
        return .done
      case "completions":
        let shell = command.argument("SHELL").flatMap(CompletionScript.Shell.init) ?? .bash
        try console.out.write(CompletionScript.text(for: CommandTree.root, shell: shell))
        return .done
      default: return try await VerbCommand.run(command, console)
      }
    }
  }
}
