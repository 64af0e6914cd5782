/// The compact form of commands. Verbs that are rare have none: they stay what `Codable` makes of them.
extension Command {
  /// Writes the command; `false`, and nothing written that counts, when its verb has no compact form.
  package func write(to writer: inout CompactWriter) -> Bool {
    guard let tag = action.compactTag else { return false }
    if case .open(let opening) = action, opening.configuration != nil { return false }
    writer.byte(tag)
    var flags: UInt8 = policy.compactNumber
    if origin != nil { flags |= 1 << 2 }
    if ifTop != nil { flags |= 1 << 3 }
    if instant { flags |= 1 << 4 }
    if deadline != nil { flags |= 1 << 5 }
    if gate != nil { flags |= 1 << 6 }
    writer.byte(flags)
    writer.text(txn)
    writer.text(caller)
    if let origin { writer.screen(origin) }
    if let ifTop { writer.ref(ifTop) }
    if let deadline { writer.number(deadline) }
    if let gate { writer.text(gate) }
    action.write(to: &writer)
    return true
  }

  package init(from reader: inout CompactReader) throws(CompactError) {
    let tag = try reader.byte()
    let flags = try reader.byte()
    guard flags < 1 << 7, let policy = Policy(compactNumber: flags & 3) else { throw reader.failure }
    txn = try reader.text()
    caller = try reader.text()
    origin = flags & 1 << 2 == 0 ? nil : try reader.screen()
    self.policy = policy
    ifTop = flags & 1 << 3 == 0 ? nil : try reader.ref()
    instant = flags & 1 << 4 != 0
    deadline = flags & 1 << 5 == 0 ? nil : try reader.number32()
    gate = flags & 1 << 6 == 0 ? nil : try reader.text()
    action = try Action(tag: tag, from: &reader)
  }
}

extension Policy {
  fileprivate var compactNumber: UInt8 {
    switch self {
    case .queue: 0
    case .join: 1
    case .reject: 2
    case .supersede: 3
    }
  }

  fileprivate init?(compactNumber: UInt8) {
    switch compactNumber {
    case 0: self = .queue
    case 1: self = .join
    case 2: self = .reject
    case 3: self = .supersede
    default: return nil
    }
  }
}

extension Command.Action {
  /// The number of a verb that has a compact form. Numbers are never used for another verb.
  fileprivate var compactTag: UInt8? {
    switch self {
    case .open: 1
    case .back: 2
    case .backTo: 3
    case .backRoot: 4
    case .close: 5
    case .dismiss: 6
    case .selectTab: 7
    case .send: 8
    case .finish: 9
    case .cancel: 10
    case .act(_, .tap): 11
    case .act(_, .enter): 12
    default: nil
    }
  }

  fileprivate func write(to writer: inout CompactWriter) {
    switch self {
    case .open(let opening): opening.write(to: &writer)
    case .back(let count, let path):
      writer.number(count)
      writer.optional(path) { $0.path($1) }
    case .backTo(let ref), .cancel(let ref): writer.ref(ref)
    case .backRoot(let path): writer.optional(path) { $0.path($1) }
    case .close(let refs): writer.list(refs) { $0.ref($1) }
    case .dismiss(let ref): writer.optional(ref) { $0.ref($1) }
    case .selectTab(let name, let ref, let reset):
      writer.text(name)
      writer.optional(ref) { $0.ref($1) }
      writer.flag(reset)
    case .send(let ref, let input):
      writer.ref(ref)
      writer.blob(input)
    case .finish(let ref, let result):
      writer.ref(ref)
      writer.optional(result) { $0.blob($1) }
    case .act(let ref, .tap(let row, let action)):
      writer.ref(ref)
      writer.text(row)
      writer.optional(action) { $0.text($1) }
    case .act(let ref, .enter(let field, let value)):
      writer.ref(ref)
      writer.text(field)
      writer.text(value)
    default: break
    }
  }

  fileprivate init(tag: UInt8, from reader: inout CompactReader) throws(CompactError) {
    switch tag {
    case 1: self = .open(try Command.Opening(from: &reader))
    case 2: self = .back(count: try reader.number32(), in: try reader.optional { (reader) throws(CompactError) in try reader.path() })
    case 3: self = .backTo(try reader.ref())
    case 4: self = .backRoot(in: try reader.optional { (reader) throws(CompactError) in try reader.path() })
    case 5: self = .close(try reader.list { (reader) throws(CompactError) in try reader.ref() })
    case 6: self = .dismiss(try reader.optional { (reader) throws(CompactError) in try reader.ref() })
    case 7:
      let name = try reader.text()
      let ref = try reader.optional { (reader) throws(CompactError) in try reader.ref() }
      self = .selectTab(name: name, of: ref, reset: try reader.flag())
    case 8: self = .send(try reader.ref(), try reader.blob())
    case 9: self = .finish(try reader.ref(), try reader.optional { (reader) throws(CompactError) in try reader.blob() })
    case 10: self = .cancel(try reader.ref())
    case 11:
      let ref = try reader.ref()
      let row = try reader.text()
      self = .act(ref, .tap(row: row, action: try reader.optional { (reader) throws(CompactError) in try reader.text() }))
    case 12:
      let ref = try reader.ref()
      let field = try reader.text()
      self = .act(ref, .enter(field: field, value: try reader.text()))
    default: throw reader.failure
    }
  }
}

extension Command.Opening {
  fileprivate func write(to writer: inout CompactWriter) {
    var flags: UInt8 = inclusive ? 1 : 0
    if configures { flags |= 1 << 1 }
    if unhosted { flags |= 1 << 2 }
    if into != nil { flags |= 1 << 3 }
    if popTo != nil { flags |= 1 << 4 }
    if seal != nil { flags |= 1 << 5 }
    writer.byte(flags)
    writer.module(module)
    writer.blob(input)
    writer.presentation(via)
    if let into { writer.path(into) }
    if let popTo { writer.ref(popTo) }
    if let seal { writer.number(seal.number) }
  }

  fileprivate init(from reader: inout CompactReader) throws(CompactError) {
    let flags = try reader.byte()
    guard flags < 1 << 6 else { throw reader.failure }
    module = try reader.module()
    input = try reader.blob()
    via = try reader.presentation()
    into = flags & 1 << 3 == 0 ? nil : try reader.path()
    popTo = flags & 1 << 4 == 0 ? nil : try reader.ref()
    inclusive = flags & 1 != 0
    configures = flags & 1 << 1 != 0
    unhosted = flags & 1 << 2 != 0
    seal = flags & 1 << 5 == 0 ? nil : Seal(try reader.number())
  }
}
