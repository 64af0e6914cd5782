import CommandKit
import MinervaWire

/// A `.flow` file, understood whole before anything of it runs.
package struct FlowScript: Sendable {
  /// The file's name as given.
  package var file: String
  /// The title of its header, or the file's name.
  package var title: String
  package var header: Header
  package var steps: [Step]

  /// What a script says of the set it wants.
  package struct Header: Sendable, Hashable {
    package var apps: [String] = []
    package var catalogue: String?
    package var hosts: [String] = []
    package var clock: Clock?
    package var seed: UInt64?

    package enum Clock: String, Sendable, Hashable, CaseIterable {
      case virtual, real
    }
  }

  /// One line with its statements.
  package struct Step: Sendable {
    package var line: Int
    /// As written, for reports.
    package var source: String
    package var statements: [Statement]
  }

  /// The faults of a script, in order; the first twenty are kept.
  package struct Faults: StatedError {
    package var errors: [ParseError]

    package init(errors: [ParseError]) { self.errors = errors }

    /// What a person is told of them, each where it is.
    package var lines: [String] {
      errors.map { fault in
        let text = "\(fault.statedCode): \(Escaping.visible(fault.message))"
        // A file that cannot be read has no places.
        return fault.code == .file ? "error \(text)" : "\(fault.position): \(text)"
      }
    }

    package var statedCode: String { errors.first?.statedCode ?? "parse" }
    package var statement: String { errors.map(\.statement).joined(separator: "\n") }
    package var remedy: String? { nil }
  }

  /// Reads a file.
  package static func read(_ path: String) throws(Faults) -> FlowScript {
    let text: String
    do throws(ParseError) {
      text = try ScriptText.read(path)
    } catch {
      throw Faults(errors: [error])
    }
    return try parse(text, file: path)
  }

  /// Reads a text that has LF line ends.
  package static func parse(_ text: String, file: String) throws(Faults) -> FlowScript {
    var reader = Reader(text: text, file: file)
    reader.run()
    guard reader.errors.isEmpty else { throw Faults(errors: reader.errors) }
    return reader.script
  }
}

extension FlowScript {
  private static let headerWords = ["flow", "app", "catalog", "host", "clock", "seed"]

  private struct Reader {
    let lines: [Substring]
    let file: String
    var script: FlowScript
    var errors: [ParseError] = []
    var isInHeader = true
    var seen: Set<String> = []

    init(text: String, file: String) {
      lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      self.file = file
      let name = file.split(separator: "/").last.map(String.init) ?? file
      script = FlowScript(file: file, title: name, header: Header(), steps: [])
    }

    mutating func run() {
      var index = 0
      while index < lines.count, errors.count < 20 {
        let first = index
        var text = String(lines[index])
        index += 1
        do throws(ParseError) {
          while true {
            do throws(ParseError) {
              try take(text, line: first + 1)
              break
            } catch {
              // An open bracket goes on in the next line; an open quote in a script is an error.
              guard error.isOpenBracket, index < lines.count else { throw error }
              text += "\n" + lines[index]
              index += 1
            }
          }
        } catch {
          errors.append(error)
          // After a bracket that is never closed, go on behind the line that opened it.
          if error.isOpenBracket { index = first + 1 }
        }
      }
    }

    private mutating func take(_ text: String, line: Int) throws(ParseError) {
      let position = SourcePosition(file: file, line: line)
      let items = try Lexer.items(of: text, at: position)
      guard let head = items.first?.tokens.first else { return }
      if let word = head.bare, FlowScript.headerWords.contains(word) {
        guard isInHeader else {
          throw ParseError(.header, "\(word) belongs to the header, before the first command", at: head.position)
        }
        guard items.count == 1, !items[0].isBackground else {
          throw ParseError(.header, "a line of the header stands alone", at: head.position)
        }
        return try headerLine(word, items[0].tokens)
      }
      isInHeader = false
      var statements: [Statement] = []
      for item in items { statements.append(try Statement.parse(item, source: items.count == 1 ? text : nil)) }
      script.steps.append(Step(line: line, source: text.trimmingBlanks(), statements: statements))
    }

    private mutating func headerLine(_ word: String, _ tokens: [Token]) throws(ParseError) {
      guard tokens.count == 2, !tokens[1].text.isEmpty else {
        throw ParseError(.header, "\(word) takes one word: \(Self.usage[word] ?? word)", at: tokens[0].position)
      }
      if !["app", "host"].contains(word), !seen.insert(word).inserted {
        throw ParseError(.header, "\(word) is given twice", at: tokens[0].position)
      }
      let value = tokens[1].text
      switch word {
      case "flow": script.title = value
      case "app": script.header.apps.append(value)
      case "catalog": script.header.catalogue = value
      case "host": script.header.hosts.append(value)
      case "clock":
        guard let clock = Header.Clock(rawValue: value) else {
          let hint = Suggestion.nearest(to: value, among: Header.Clock.allCases.map(\.rawValue)).map { "; did you mean \($0)?" } ?? ""
          throw ParseError(.header, "no clock \"\(Escaping.visible(value))\"\(hint)", at: tokens[1].position)
        }
        script.header.clock = clock
      default:
        guard let seed = UInt64(value) else {
          throw ParseError(.header, "seed takes a number from 0 to 18446744073709551615", at: tokens[1].position)
        }
        script.header.seed = seed
      }
    }

    private static let usage = [
      "flow": "flow \"title\"", "app": "app NAME", "catalog": "catalog FILE", "host": "host EXECUTABLE", "clock": "clock virtual|real",
      "seed": "seed N",
    ]
  }
}
