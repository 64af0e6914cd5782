import Foundation
import MinervaWire
import Testing

/// Where the data lies beside the repository, if it does.
private enum TestData {
  static let folder: URL? = {
    var root = URL(fileURLWithPath: #filePath)
    while root.path != "/", !FileManager.default.fileExists(atPath: root.appendingPathComponent("Package.swift").path) {
      root.deleteLastPathComponent()
    }
    let folder = root.appendingPathComponent("../shared/data/json/JSONTestSuite").standardized
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()
}

/// The tables of JSONTestSuite (Seriot, "Parsing JSON is a minefield").
@Suite("JSONTestSuite", .enabled(if: TestData.folder != nil, "../shared/data/json/JSONTestSuite is absent"))
struct JSONTestSuiteTests {
  private func accepted(in name: String) throws -> (all: [String], accepted: Set<String>) {
    let folder = try #require(TestData.folder).appendingPathComponent(name)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }.sorted()
    let good = try names.filter { name in
      let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
      return (try? JSONValue(parsing: bytes)) != nil
    }
    return (names, Set(good))
  }

  @Test func `E02: every file is accepted or refused as it must be, repeated keys refused`() throws {
    let (names, accepted) = try accepted(in: "test_parsing")
    #expect(names.count > 300)
    let refusedByRule: Set<String> = ["y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"]
    for name in names {
      switch name.first {
      case "y": #expect(accepted.contains(name) == !refusedByRule.contains(name), "\(name)")
      // Where the standard leaves a choice, whatever could not be carried unchanged is refused.
      default: #expect(!accepted.contains(name), "\(name)")
      }
    }
  }

  @Test func `E01, E02: values that readers change are carried or refused`() throws {
    let (_, accepted) = try accepted(in: "test_transform")
    #expect(
      accepted == [
        "number_-9223372036854775808.json", "number_1.0.json", "number_1.000000000000000005.json", "number_1000000000000000.json",
        "number_1e6.json", "number_9223372036854775807.json", "string_with_escaped_NULL.json",
      ])
  }
}
