import Foundation
import MinervaTesting
import Testing

/// `cli/minerva` on machines that lack something, each made of stubs: it says what is missing and what to do, and never goes on half ready.
@Suite("Processes: the front door on a machine that lacks something", .serialized, .oneAtATime)
struct FrontDoorTests {
  private func on(_ machine: StubMachine, _ body: (StubMachine) throws -> Void) throws {
    defer { machine.set.end() }
    try body(machine)
  }

  @Test("no toolchain, one that is too old, and one that cannot run: each is said, with what is needed")
  func toolchains() throws {
    try on(StubMachine(swift: nil)) { machine in
      let said = try machine.says("setup", "HOME=")
      #expect(said.status == 1 && said.text.contains("no Swift toolchain found") && said.text.contains("swift.org"), "\(said)")
    }
    try on(StubMachine(swift: "Swift version 5.10 (swift-5.10-RELEASE)")) { machine in
      let said = try machine.says("test")
      #expect(said.status == 1 && said.text.contains("Swift 5.10") && said.text.contains("6.2 or later"), "\(said)")
    }
    try on(StubMachine()) { machine in
      try machine.program("swift", "echo 'libxml2.so.2: cannot open shared object file' >&2; exit 127")
      let said = try machine.says("demo")
      #expect(said.status == 1 && said.text.contains("does not run: see what 'swift --version' says"), "\(said)")
    }
  }

  @Test("what is missing is named with its reason, and alone; --no-install installs nothing, wherever it stands")
  func noInstall() throws {
    for words in ["--no-install setup", "setup --no-install", "test --no-install", "demo --fast --no-install"] {
      try on(StubMachine(lacking: ["zmq.h"])) { machine in
        try machine.apt(hasNetwork: true)
        let said = try machine.says(words)
        #expect(said.status == 1 && said.text.contains("missing: libzmq3-dev, for the bus"), "\(words): \(said)")
        #expect(said.text.contains("--no-install; run as root: apt-get install libzmq3-dev\n"), "\(words): \(said)")
        #expect(!said.text.contains("libsqlite3") && machine.calls.isEmpty)
      }
    }
  }

  @Test("packages are installed with and without sudo, also on an image without package lists")
  func installs() throws {
    try on(StubMachine(lacking: ["zmq.h", "histedit.h"])) { machine in
      try machine.apt(hasNetwork: true, knowsPackages: false)
      let said = try machine.says("setup")
      #expect(said.status == 0 && said.text.contains("ready: Swift version"), "\(said)")
      #expect(machine.calls.contains("install -y --no-install-recommends libzmq3-dev libedit-dev") && machine.calls.contains("update"))
    }
    try on(StubMachine(lacking: ["sqlite3.h"])) { machine in
      try machine.user("1000")
      try machine.apt(hasNetwork: true)
      try machine.program("sudo", "[ \"$1\" = -v ] && exit 0; exec \"$@\"")
      let said = try machine.says("setup")
      #expect(said.status == 0 && said.text.contains("installing with sudo: libsqlite3-dev"), "\(said)")
    }
  }

  @Test("no apt-get, no sudo, a sudo that refuses, no network, a package without its header: each has its own words")
  func cannotInstall() throws {
    func said(_ prepare: (StubMachine) throws -> Void) throws -> String {
      var text = ""
      try on(StubMachine(lacking: ["zmq.h"])) { machine in
        try prepare(machine)
        let said = try machine.says("setup")
        #expect(said.status == 1, "\(said)")
        text = said.text
      }
      return text
    }
    #expect(try said { _ in }.contains("no Debian or Ubuntu"))
    #expect(
      try said {
        try $0.apt(hasNetwork: true)
        try $0.user("1000")
      }.contains("there is no sudo; run as root: apt-get install libzmq3-dev"))
    #expect(
      try said {
        try $0.apt(hasNetwork: true)
        try $0.user("1000")
        try $0.program("sudo", "echo 'sudo: a password is required' >&2; exit 1")
      }.contains("sudo does not let you install"))
    #expect(try said { try $0.apt(hasNetwork: false) }.contains("is there a network?"))
    #expect(try said { try $0.program("apt-get", "exit 0") }.contains("zmq.h is not where it should be"))
  }

  @Test("a place that cannot be written is said before anything is built")
  func unwritable() throws {
    try on(StubMachine()) { machine in
      // A file where the directory should be refuses root too.
      _ = FileManager.default.createFile(atPath: machine.set.directory + "/.build", contents: nil)
      for words in ["demo", "test"] {
        let said = try machine.says(words)
        #expect(said.status == 1 && said.text.contains("cannot be written: builds go there"), "\(words): \(said)")
      }
    }
  }

  @Test(
    "Ctrl-C during the tests ends them at once with 130, and leaves no process, no file and no directory",
    arguments: ["INT", "TERM", "HUP"])
  func interruptedTests(signal: String) throws {
    try on(StubMachine()) { machine in
      try machine.testsForEver()
      // With job control, so that the group gets the signal as from a terminal, and `timeout`'s own does not.
      let said = try machine.shell(
        """
        mkdir $top/tmp
        export TMPDIR=$top/tmp
        set -m
        bash cli/minerva test --filter Nothing & first=$!
        until [ -e $top/testing ]; do sleep 0.02; done
        kill -\(signal) -$first
        wait $first; echo "ended $?"
        """)
      let status = ["INT": 130, "TERM": 143, "HUP": 129][signal] ?? 0
      #expect(said.text.contains("ended \(status)\n") && said.text.contains("interrupted"), "\(said)")
      #expect(!said.text.contains("took longer") && !said.text.contains("left behind"), "\(said)")
      #expect(RuntimeFiles.names(in: machine.set.directory + "/tmp") == [])
      let left = RuntimeFiles.names(in: "/proc").filter { process in
        guard process.allSatisfy(\.isNumber) else { return false }
        return RuntimeFiles.text("/proc/\(process)/environ").contains("TMPDIR=\(machine.set.directory)/tmp/mt-")
      }
      #expect(left == [], "\(left.map { RuntimeFiles.text("/proc/\($0)/cmdline") })")
    }
  }
}
