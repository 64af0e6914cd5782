import CommandKit
import TestSupport
import Testing

@Suite("Help and completion are as stored")
struct SnapshotTests {
  @Test func `help of the program`() {
    #expect(snapshotMismatch(Program.help(Sample.root, for: ["sample"], width: 80), "help.txt") == nil)
  }

  @Test func `help of a command`() {
    #expect(snapshotMismatch(Program.help(Sample.root, for: ["sample", "run"], width: 80), "help-run.txt") == nil)
  }

  @Test(arguments: CompletionScript.Shell.allCases)
  func `completion scripts`(shell: CompletionScript.Shell) {
    #expect(snapshotMismatch(CompletionScript.text(for: Sample.root, shell: shell), "completion.\(shell.rawValue)") == nil)
  }
}
