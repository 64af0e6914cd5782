import Foundation

/// What `Package.swift` says of our targets, in its order.
enum Manifest {
  /// A target of Swift sources.
  struct Target: Sendable, CustomStringConvertible {
    var name: String
    /// Where it lies, below the root.
    var path: String
    var dependencies: Set<String>
    var description: String { name }

    /// `Sources`, `Services`, `cli` or `Tests`.
    var folder: String { String(path.prefix { $0 != "/" }) }
    /// The name that an import has: a hyphen is none.
    var module: String { Manifest.module(name) }
    /// Every module that one of its files imports.
    var imports: Set<String> { Set(Repository.sources(below: path).flatMap(\.imports)) }
  }

  static let text = (try? String(contentsOf: Repository.root.appending(path: "Package.swift"), encoding: .utf8)) ?? ""
  /// The C libraries.
  static let libraries = Set(text.matches(of: /\.systemLibrary\(name: "(\w+)"/).map { String($0.1) })
  static let targets = read()

  static func module(_ name: String) -> String { name.replacing("-", with: "_") }

  private static func read() -> [Target] {
    text.matches(of: /\b(layer|program|tests)\(\s*"([^"]+)",\s*on: \[([^\]]*)\]((?:(?!\b(?:layer|program|tests)\()[\s\S])*)/).map { match in
      let name = String(match.2)
      let folder = match.1 == "tests" ? "Tests" : match.4.firstMatch(of: /at: "([^"]+)"/).map { String($0.1) } ?? "Sources"
      let dependencies = match.3.matches(of: /"([^"]+)"/).map { String($0.1) }
      return Target(name: name, path: "\(folder)/\(name)", dependencies: Set(dependencies))
    }
  }
}
