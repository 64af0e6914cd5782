import Minerva
import MinervaHosting
import MinervaTransport
import MinervaWire
import ServiceKit

/// The module that the bench opens: a screen with an input, and nothing on it.
enum Page: Module {
  struct Input: Codable, Sendable {
    var text: String
  }

  static let name = "Page"
  static let summary = "a page of a bench"

  /// The input of a number: JSON of exactly so many bytes, at least 32.
  static func input(_ number: UInt64, bytes: Int = 64) -> [UInt8] {
    let digits = String(number)
    var input: [UInt8] = []
    input.reserveCapacity(max(32, bytes))
    input.append(contentsOf: "{\"text\":\"".utf8)
    input.append(contentsOf: digits.utf8)
    input.append(UInt8(ascii: " "))
    input.append(contentsOf: repeatElement(UInt8(ascii: "x"), count: max(0, bytes - 12 - digits.utf8.count)))
    input.append(contentsOf: "\"}".utf8)
    return input
  }
}

actor PageCoordinator: Coordinator {
  let context: Context<Page>
  private let input: Page.Input

  init(_ input: Page.Input, _ context: Context<Page>) {
    self.input = input
    self.context = context
  }
}

/// The host of a bench, in a process of its own.
enum PageHost {
  static let app = "bench"

  /// Serves until standard input ends or a signal comes; the bench's end is one.
  static func serve(_ endpoint: Endpoint, name: String, until ending: @Sendable () async -> Void) async throws {
    let settings = HostSettings(
      app: app, node: name, broker: endpoint, patience: .seconds(20), version: ProductVersion.text, log: { _ in })
    let host = try await HostProcess.start(settings) { _ in [ModuleOffer(PageCoordinator.init)] }
    await ending()
    await host.close()
  }
}
