/// How names and places are written.
extension CompactWriter {
  mutating func screen(_ id: ScreenID) { number(id.number) }

  mutating func module(_ module: ModuleAddress) {
    byte((module.app == nil ? 0 : 1) | (module.host == nil ? 0 : 2))
    text(module.name)
    if let app = module.app { text(app) }
    if let host = module.host { text(host) }
  }

  mutating func path(_ path: NavPath) {
    // A layer that is none has a form that no reader takes.
    number(UInt16(exactly: path.layer).map(UInt64.init) ?? 1 << 16)
    list(path.segments) { $0.text($1.description) }
  }

  mutating func ref(_ ref: ScreenRef) {
    switch ref {
    case .id(let id):
      byte(0)
      screen(id)
    case .top: byte(1)
    case .root: byte(2)
    case .path(let path):
      byte(3)
      self.path(path)
    }
  }

  mutating func presentation(_ via: Presentation) {
    if via == .push { return byte(0) }
    byte(1)
    text(via.description)
  }
}

extension CompactReader {
  mutating func screen() throws(CompactError) -> ScreenID { ScreenID(try number32()) }

  mutating func module() throws(CompactError) -> ModuleAddress {
    let parts = try byte()
    guard parts <= 3 else { throw failure }
    let name = try text()
    let app = parts & 1 == 0 ? nil : try text()
    let host = parts & 2 == 0 ? nil : try text()
    let address = ModuleAddress(app: app, name: name, host: host)
    // Snapshots and records hold an address as one text.
    guard ModuleAddress(address.description) == address else { throw failure }
    return address
  }

  mutating func path() throws(CompactError) -> NavPath {
    guard let layer = UInt16(exactly: try number()) else { throw failure }
    let segments = try list { (reader) throws(CompactError) in
      let text = try reader.text()
      guard !text.utf8.contains(UInt8(ascii: "/")), let segment = NavPath.Segment(text) else { throw reader.failure }
      return segment
    }
    return NavPath(layer: Int(layer), segments: segments)
  }

  mutating func ref() throws(CompactError) -> ScreenRef {
    switch try byte() {
    case 0: return .id(try screen())
    case 1: return .top
    case 2: return .root
    case 3: return .path(try path())
    default: throw failure
    }
  }

  mutating func presentation() throws(CompactError) -> Presentation {
    guard try flag() else { return .push }
    guard let via = Presentation(try text()), via != .push else { throw failure }
    return via
  }
}
