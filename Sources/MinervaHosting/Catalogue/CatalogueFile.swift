import Glibc
import MinervaNavigation
public import MinervaWire

/// An app in a JSON file: modules with their schemas, containers, routes and screens, and coordinators that follow a script.
///
/// With it flows can be written before there is any code, and for the rules alone. The form is in the DocC article *Catalogue apps*.
public struct CatalogueFile: Sendable {
  /// The name under which its host registers.
  public let app: String
  let start: String
  let links: DeepLinkScope?
  let modules: [CatalogueModule]

  /// Reads a catalogue file.
  ///
  /// - Throws: `file.unreadable`, or `catalog.invalid` with the file and the path of what is wrong.
  public static func read(_ path: String) throws(MinervaError) -> CatalogueFile {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw MinervaError(.fileUnreadable, "cannot read \(path): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw MinervaError(.fileUnreadable, "cannot read \(path): \(String(cString: strerror(errno)))") }
      if count == 0 { break }
      bytes += piece[..<count]
      guard bytes.count <= limit else { throw MinervaError(.catalogInvalid, "\(path): a catalogue has at most \(limit >> 20) MiB") }
    }
    return try CatalogueFile(parsing: bytes, file: path)
  }

  static let limit = 4 << 20

  /// Reads the bytes of a catalogue; `file` is what errors call it.
  public init(parsing bytes: [UInt8], file: String) throws(MinervaError) {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: bytes) } catch {
      throw MinervaError(.catalogInvalid, error.described(under: file))
    }
    self = try CatalogueReader(file: file).catalogue(value)
  }

  init(app: String, start: String, links: DeepLinkScope?, modules: [CatalogueModule]) {
    self.app = app
    self.start = start
    self.links = links
    self.modules = modules
  }
}

/// One module of a catalogue.
struct CatalogueModule: Sendable {
  var name: String
  var summary = ""
  var input = PayloadShape.any
  var output: PayloadShape?
  var container = ContainerSpec.none
  var slots: [String] = []
  var routes: [CatalogueRoute] = []
  var transitions: [NamedTransition] = []
  /// What survives the process; rows and scripts name its members in braces.
  var state = JSONObject()
  var title = ""
  var rows: [CatalogueRow] = []
  /// What is done when, by event: `tap ROW`, `output MODULE`.
  var scripts: [String: [CatalogueStep]] = [:]
}

/// A route of a catalogue's module.
struct CatalogueRoute: Sendable {
  var path: String
  var target: String?
  var via = Presentation.push
  var query: [String] = []
  var redirect: String?
}

/// A row of a catalogue's screen.
struct CatalogueRow: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case label, button, field, toggle = "switch"
  }

  var id: String
  var text: String
  var detail: String?
  var kind = Kind.label
  var swipe: [String] = []
}

/// What a script does, one thing after the other, all within one turn.
enum CatalogueStep: Sendable {
  case open(module: String, input: JSONValue, via: Presentation)
  case output(JSONValue)
  case finish(JSONValue)
  case cancel
  case set(JSONObject)
  /// Refuses what was asked; in `load` the module is not opened.
  case fail(String)
  case veto(Vetoes)
  /// Has the event `timer NAME` come after so many milliseconds of scene time.
  case wake(UInt64, name: String)
}
