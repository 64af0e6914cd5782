import Foundation
import MinervaTesting
import Testing

/// How `cli/minerva` builds, and from where it may be called.
@Suite("Processes: the front door and its builds", .serialized, .oneAtATime, .timeLimit(.minutes(2)))
struct FrontDoorBuildTests {
  private func on(at folder: String = "", _ body: (StubMachine) throws -> Void) throws {
    let machine = try StubMachine(at: folder)
    defer { machine.set.end() }
    try machine.builds()
    try body(machine)
  }

  @Test("it builds once, and again when a source or the flags are others; a failed build is said and tried again")
  func onlyWhenNeeded() throws {
    try on { machine in
      #expect(try machine.says("status").text.contains("building (release)"))
      let second = try machine.says("status")
      #expect(second.status == 0 && second.text == "ran in \(machine.repository):\n<status>\n", "\(second)")
      #expect(machine.built.count == 1)
      // A date in the future stands for a file that is saved after the build.
      _ = try machine.shell("touch -d '1 minute' Sources/new.swift")
      _ = try machine.shell("touch $top/fails")
      let failed = try machine.says("status")
      #expect(failed.status == 70 && failed.text.contains("the build failed, see above") && !failed.text.contains("ran in"), "\(failed)")
      _ = try machine.shell("rm $top/fails Sources/new.swift; touch -d '1 minute ago' .build/release-built; touch Sources/old.swift")
      #expect(try machine.says("status").text.contains("ran in"))
      #expect(machine.built.count == 3)
      #expect(try machine.says("status", "MINERVA_SWIFT_FLAGS=-v").text.contains("building (release)"))
      #expect(machine.leftovers == [])
    }
  }

  @Test("two that build at once both run what was built, and nothing of either is left")
  func twoAtOnce() throws {
    try on { machine in
      let said = try machine.shell(
        """
        touch $top/hold
        bash cli/minerva one & first=$!
        bash cli/minerva two & second=$!
        until set -- $top/building.*; [ $# -eq 2 ]; do sleep 0.02; done
        rm $top/hold
        wait $first; one=$?
        wait $second; echo "ended $one $?"
        """)
      #expect(said.text.contains("<one>") && said.text.contains("<two>") && said.text.contains("ended 0 0"), "\(said)")
      #expect(machine.leftovers == [] && machine.built.count == 2)
      #expect(try machine.says("three").text == "ran in \(machine.repository):\n<three>\n")
    }
  }

  @Test("what is saved while it builds is built next time")
  func savedMeanwhile() throws {
    try on { machine in
      let said = try machine.shell(
        """
        touch $top/hold
        bash cli/minerva one & first=$!
        until [ -e $top/building.* ]; do sleep 0.02; done
        until [ Sources/new.swift -nt .build/release-built.$first ]; do touch Sources/new.swift; done
        rm $top/hold
        wait $first; echo "ended $?"
        """)
      #expect(said.text.contains("ended 0"), "\(said)")
      #expect(try machine.says("two").text.contains("building (release)"))
      #expect(try machine.says("three").text == "ran in \(machine.repository):\n<three>\n")
    }
  }

  @Test(
    "Ctrl-C during a build ends it with 130 and leaves nothing; the next call builds, also over an older build", arguments: [false, true])
  func interrupted(hasOlder: Bool) throws {
    try on { machine in
      if hasOlder {
        #expect(try machine.says("zero").status == 0)
        _ = try machine.shell("touch -d '1 minute ago' .build/release-built; touch Sources/new.swift")
      }
      // With job control, so that the group gets the signal as from a terminal.
      let said = try machine.shell(
        """
        touch $top/hold
        set -m
        bash cli/minerva one & first=$!
        until [ -e $top/building.* ]; do sleep 0.02; done
        kill -INT -$first
        wait $first; echo "ended $?"
        rm $top/hold
        """)
      #expect(said.text.contains("ended 130") && !said.text.contains("ran in") && !said.text.contains("the build failed"), "\(said)")
      #expect(machine.leftovers == [])
      let next = try machine.says("two")
      #expect(next.status == 0 && next.text.contains("building (release)") && next.text.contains("<two>"), "\(next)")
    }
  }

  @Test(
    "it is called through links, from another directory, and lies in a path with spaces; arguments stay as they were, and paths the caller's"
  )
  func fromElsewhere() throws {
    try on(at: "/a repository of mine/minerva") { machine in
      let root = machine.set.directory
      let said = try machine.shell(
        """
        mkdir -p "$top/else where" "$top/links"
        ln -s "$PWD/cli/minerva" "$top/links/real"
        ln -s real "$top/links/m"
        cd "$top/else where"
        "$top/links/m" run 'my flow.flow' '' --no-install 'a  b'
        cd /
        bash "\(machine.repository)/cli/minerva" status
        """)
      #expect(said.status == 0, "\(said)")
      #expect(said.text.contains("ran in \(root)/else where:\n<run><my flow.flow><><a  b>\n"), "\(said)")
      #expect(said.text.hasSuffix("ran in /:\n<status>\n"), "\(said)")
      #expect(machine.built == [machine.repository], "built once, in the repository")
      #expect(machine.leftovers == [])
    }
  }

  @Test("with everything there it needs no network: nothing is asked of apt-get, curl, wget or git")
  func offline() throws {
    try on { machine in
      for tool in ["apt-get", "curl", "wget", "git", "sudo"] {
        try machine.program(tool, "echo $0 >>\(machine.set.directory)/calls; exit 1")
      }
      for words in ["setup", "demo", "status", "--no-install demo"] { #expect(try machine.says(words).status == 0, "\(words)") }
      #expect(machine.calls == "")
    }
  }
}
