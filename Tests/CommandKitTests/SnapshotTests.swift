import CommandKit
import Testing

@Suite("Help and completion are as stored")
struct SnapshotTests {
  @Test func `help of the program`() {
    expectSnapshot(Program.help(Sample.root, for: ["sample"], width: 80), "help.txt")
  }

  @Test func `help of a command`() {
    expectSnapshot(Program.help(Sample.root, for: ["sample", "run"], width: 80), "help-run.txt")
  }

  @Test(arguments: CompletionScript.Shell.allCases)
  func `completion scripts`(shell: CompletionScript.Shell) {
    expectSnapshot(CompletionScript.text(for: Sample.root, shell: shell), "completion.\(shell.rawValue)")
  }
}
