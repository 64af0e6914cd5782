import MinervaWire

/// The results of a run in the XML that CI systems read.
package enum JUnitReport {
  package static func text(_ results: [FlowResult]) -> String {
    let failures = results.count { !$0.failures.isEmpty }
    let skipped = results.count(where: \.isSkipped)
    let total = results.reduce(Duration.zero) { $0 + $1.duration }
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<testsuite name=\"minerva run\" tests=\"\(results.count)\" failures=\"\(failures)\" skipped=\"\(skipped)\" time=\"\(seconds(total))\">",
    ]
    for result in results {
      let head = "  <testcase classname=\"\(escaped(result.file))\" name=\"\(escaped(result.title))\" time=\"\(seconds(result.duration))\""
      if result.isGood {
        lines.append(head + "/>")
        continue
      }
      lines.append(head + ">")
      if result.isSkipped { lines.append("    <skipped/>") }
      for failure in result.failures {
        lines.append("    <failure type=\"\(escaped(failure.code))\" message=\"\(escaped(failure.reason))\">")
        lines += failure.lines.map(escaped)
        lines.append("    </failure>")
      }
      lines.append("  </testcase>")
    }
    return (lines + ["</testsuite>", ""]).joined(separator: "\n")
  }

  private static func seconds(_ duration: Duration) -> String {
    let milliseconds = duration.milliseconds
    let rest = String(milliseconds % 1_000)
    return "\(milliseconds / 1_000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }

  /// Escapes for XML 1.0, which has no way at all to hold most control characters.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
