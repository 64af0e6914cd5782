import Foundation
import MinervaTesting
import Testing

/// `cli/minerva` on machines that lack something, each made of stubs: it says what is missing and what to do, and never goes on half ready.
@Suite("Processes: the front door on a machine that lacks something", .serialized, .oneAtATime)
struct FrontDoorTests {
  /// A machine: the programs on its path as scripts, and which headers it has.
  private final class Machine {
    let set: ProcessSet
    private var root: String { self.set.directory }
    private static let headers = ["zmq.h", "sqlite3.h", "histedit.h"]
    private static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()

    init(swift: String? = "Swift version 6.3.1 (swift-6.3.1-RELEASE)", lacking: Set<String> = []) throws {
      set = try ProcessSet()
      for directory in ["bin", "include", "cli"] {
        try FileManager.default.createDirectory(atPath: root + "/" + directory, withIntermediateDirectories: true)
      }
      for tool in ["bash", "readlink", "dirname", "sed", "head", "mkdir", "cat", "find", "env", "touch", "chmod"] {
        let place = try #require(["/usr/bin/", "/bin/"].map { $0 + tool }.first { FileManager.default.isExecutableFile(atPath: $0) })
        try FileManager.default.createSymbolicLink(atPath: root + "/bin/" + tool, withDestinationPath: place)
      }
      for header in Self.headers where !lacking.contains(header) {
        _ = FileManager.default.createFile(atPath: root + "/include/" + header, contents: nil)
      }
      try FileManager.default.copyItem(at: Self.repository.appending(path: "cli/minerva"), to: URL(filePath: root + "/cli/minerva"))
      if let swift { try program("swift", "[ \"$1\" = --version ] && echo '\(swift)'") }
      try user("0")
    }

    /// Puts a program on the path.
    func program(_ name: String, _ body: String) throws {
      let path = root + "/bin/" + name
      try "#!/bin/bash\n\(body)\n".write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    func user(_ id: String) throws { try program("id", "echo \(id)") }

    /// An apt-get that writes down how it was called, and installs headers when there is a network.
    func apt(hasNetwork: Bool, knowsPackages: Bool = true) throws {
      let install =
        hasNetwork
        ? (Self.headers.map { "touch \(root)/include/\($0)" } + ["exit 0"]).joined(separator: "; ")
        : "echo 'E: Unable to locate package' >&2; exit 100"
      let first = knowsPackages ? "" : "[ -e \(root)/updated ] || { echo 'E: stale' >&2; exit 100; }; "
      try program(
        "apt-get",
        "echo \"$*\" >>\(root)/calls; case \" $* \" in *' update '*|*' update') touch \(root)/updated; exit 0;; *) \(first)\(install);; esac"
      )
    }

    var calls: String { (try? String(contentsOfFile: root + "/calls", encoding: .utf8)) ?? "" }

    func says(_ words: String, _ environment: String = "") throws -> (status: Int32, text: String) {
      let line = "cd \(root); PATH=\(root)/bin MINERVA_HEADERS=\(root)/include MINERVA_TOOLCHAINS= \(environment) bash cli/minerva \(words)"
      let process = Process()
      process.executableURL = URL(filePath: "/bin/bash")
      process.arguments = ["-c", line]
      let pipe = Pipe()
      process.standardOutput = pipe
      process.standardError = pipe
      try process.run()
      let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }
  }

  private func on(_ machine: Machine, _ body: (Machine) throws -> Void) throws {
    defer { machine.set.end() }
    try body(machine)
  }

  @Test("no toolchain, one that is too old, and one that cannot run: each is said, with what is needed")
  func toolchains() throws {
    try on(Machine(swift: nil)) { machine in
      let said = try machine.says("setup", "HOME=")
      #expect(said.status == 1 && said.text.contains("no Swift toolchain found") && said.text.contains("swift.org"), "\(said)")
    }
    try on(Machine(swift: "Swift version 5.10 (swift-5.10-RELEASE)")) { machine in
      let said = try machine.says("test")
      #expect(said.status == 1 && said.text.contains("Swift 5.10") && said.text.contains("6.2 or later"), "\(said)")
    }
    try on(Machine()) { machine in
      try machine.program("swift", "echo 'libxml2.so.2: cannot open shared object file' >&2; exit 127")
      let said = try machine.says("demo")
      #expect(said.status == 1 && said.text.contains("does not run: see what 'swift --version' says"), "\(said)")
    }
  }

  @Test("what is missing is named with its reason, and alone; --no-install installs nothing, wherever it stands")
  func noInstall() throws {
    for words in ["--no-install setup", "setup --no-install", "test --no-install", "demo --fast --no-install"] {
      try on(Machine(lacking: ["zmq.h"])) { machine in
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
    try on(Machine(lacking: ["zmq.h", "histedit.h"])) { machine in
      try machine.apt(hasNetwork: true, knowsPackages: false)
      let said = try machine.says("setup")
      #expect(said.status == 0 && said.text.contains("ready: Swift version"), "\(said)")
      #expect(machine.calls.contains("install -y --no-install-recommends libzmq3-dev libedit-dev") && machine.calls.contains("update"))
    }
    try on(Machine(lacking: ["sqlite3.h"])) { machine in
      try machine.user("1000")
      try machine.apt(hasNetwork: true)
      try machine.program("sudo", "[ \"$1\" = -v ] && exit 0; exec \"$@\"")
      let said = try machine.says("setup")
      #expect(said.status == 0 && said.text.contains("installing with sudo: libsqlite3-dev"), "\(said)")
    }
  }

  @Test("no apt-get, no sudo, a sudo that refuses, no network, a package without its header: each has its own words")
  func cannotInstall() throws {
    func said(_ prepare: (Machine) throws -> Void) throws -> String {
      var text = ""
      try on(Machine(lacking: ["zmq.h"])) { machine in
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
    try on(Machine()) { machine in
      // A file where the directory should be refuses root too.
      _ = FileManager.default.createFile(atPath: machine.set.directory + "/.build", contents: nil)
      for words in ["demo", "test"] {
        let said = try machine.says(words)
        #expect(said.status == 1 && said.text.contains("cannot be written: builds go there"), "\(words): \(said)")
      }
    }
  }
}
