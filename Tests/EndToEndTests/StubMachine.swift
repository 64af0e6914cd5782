import Foundation
import MinervaTesting
import Testing

/// A machine that `cli/minerva` finds itself on: the programs on its path as scripts, which headers it has, and the repository.
final class StubMachine {
  let set: ProcessSet
  private var root: String { self.set.directory }
  /// Where the repository is.
  let repository: String
  private var runs = 0
  private static let headers = ["zmq.h", "sqlite3.h", "histedit.h"]
  private static let ours = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  init(swift: String? = "Swift version 6.3.1 (swift-6.3.1-RELEASE)", lacking: Set<String> = [], at folder: String = "") throws {
    set = try ProcessSet()
    repository = set.directory + folder
    for directory in [root + "/bin", root + "/include", repository + "/cli"] {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }
    for tool in [
      "bash", "readlink", "dirname", "sed", "head", "mkdir", "cat", "find", "env", "touch", "chmod", "rm", "mv", "sleep", "ln", "timeout",
      "mktemp", "tee", "grep", "awk", "sort", "tail", "cp",
    ] {
      let place = try #require(["/usr/bin/", "/bin/"].map { $0 + tool }.first { FileManager.default.isExecutableFile(atPath: $0) })
      try FileManager.default.createSymbolicLink(atPath: root + "/bin/" + tool, withDestinationPath: place)
    }
    for header in Self.headers where !lacking.contains(header) {
      _ = FileManager.default.createFile(atPath: root + "/include/" + header, contents: nil)
    }
    try FileManager.default.copyItem(at: Self.ours.appending(path: "cli/minerva"), to: URL(filePath: repository + "/cli/minerva"))
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

  /// A toolchain that builds: it writes down where, and makes a `minerva` that says where it runs and with what. While there is a file `hold`, it
  /// says `building` and waits.
  func builds() throws {
    for directory in ["Sources", "Services", "Tests/Benchmarks"] {
      try FileManager.default.createDirectory(atPath: repository + "/" + directory, withIntermediateDirectories: true)
    }
    _ = FileManager.default.createFile(atPath: repository + "/Package.swift", contents: nil)
    try program(
      "swift",
      """
      [ "$1" = --version ] && { echo 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'; exit 0; }
      echo "$PWD" >>\(root)/builds
      if [ -e \(root)/hold ]; then
        touch \(root)/building.$$
        for try in {1..1000}; do [ -e \(root)/hold ] && sleep 0.02; done
      fi
      [ -e \(root)/fails ] && exit 1
      mkdir -p .build/release
      printf '#!/bin/bash\\necho "ran in $PWD:"; printf "<%%s>" "$@"; echo\\n' >.build/release/minerva.$$
      chmod +x .build/release/minerva.$$
      mv .build/release/minerva.$$ .build/release/minerva
      """)
  }

  /// A toolchain whose tests run until somebody ends them: its runner, as Swift's, leaves the process with the tests in it running, which keeps a
  /// file in the temporary directory. Neither ends when it is asked to.
  func testsForEver() throws {
    try builds()
    try program(
      "swift",
      """
      [ "$1" = --version ] && { echo 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'; exit 0; }
      [ "$1" = build ] && exit 0
      trap '' INT TERM
      mkdir -p .build/suite
      cp "$(readlink -f "\(root)/bin/sleep")" .build/suite/tests
      touch "$TMPDIR/socket"
      .build/suite/tests 60 &
      echo "✔ Suite begun"
      touch \(root)/testing
      wait
      """)
  }

  /// How often it was built, and where.
  var built: [String] { ((try? String(contentsOfFile: root + "/builds", encoding: .utf8)) ?? "").split(separator: "\n").map(String.init) }

  /// What is left of builds beside what they are for.
  var leftovers: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: repository + "/.build")) ?? []
    return names.filter { !["release", "release-built"].contains($0) }
  }

  func says(_ words: String, _ environment: String = "") throws -> (status: Int32, text: String) {
    try shell("\(environment) bash cli/minerva \(words)")
  }

  /// Runs a line of shell in the repository; `$top` is the machine's own directory.
  func shell(_ line: String) throws -> (status: Int32, text: String) {
    let variables = "export PATH='\(root)/bin' MINERVA_HEADERS='\(root)/include' MINERVA_TOOLCHAINS= top='\(root)'"
    runs += 1
    let name = "shell-\(runs)"
    // By the product's own way to start a process: one of Foundation's would ignore Ctrl-C as the tests do.
    try set.startCommand(name, "/bin/bash", ["-c", "cd '\(repository)'; \(variables); \(line)"])
    let status = try #require(set.exit(of: name, within: .seconds(40)), "\(line)")
    return (status, set.log(of: name))
  }
}
