extension MinervaError {
  /// A stable dotted code, open for `nav.*`, `app.*` and whatever comes later.
  ///
  /// A struct over its text, so that an unknown code of a newer peer survives the journey.
  public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ text: String) { rawValue = text }
    public init(stringLiteral text: String) { rawValue = text }

    public var description: String { rawValue }

    /// The part before the first dot: `bus`, `nav`, `app`.
    public var family: Substring { rawValue.prefix { $0 != "." } }
  }
}

extension MinervaError.Code: Codable {
  public init(from decoder: any Decoder) throws { rawValue = try decoder.singleValueContainer().decode(String.self) }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

extension MinervaError.Code {
  // The bus.
  public static let unreachable: Self = "bus.unreachable"
  public static let peerLost: Self = "bus.peer_lost"
  public static let deadline: Self = "bus.deadline"
  public static let cancelled: Self = "bus.cancelled"
  public static let backpressure: Self = "bus.backpressure"
  public static let tooLarge: Self = "bus.too_large"
  public static let badMessage: Self = "bus.bad_message"
  public static let notExposed: Self = "bus.not_exposed"
  public static let noSuchActor: Self = "bus.no_such_actor"
  public static let unauthorized: Self = "bus.unauthorized"
  public static let unsupported: Self = "bus.unsupported"
  public static let notOwner: Self = "bus.not_owner"
  public static let staleEpoch: Self = "bus.stale_epoch"
  public static let nameTaken: Self = "bus.name_taken"
  public static let closed: Self = "bus.closed"
  public static let unsafeDirectory: Self = "bus.unsafe_directory"
  public static let endpointInvalid: Self = "bus.endpoint_invalid"
  public static let endpointTaken: Self = "bus.endpoint_taken"

  // Payloads and modules.
  public static let inputInvalid: Self = "input.invalid"
  public static let inputSecret: Self = "input.secret"
  public static let inputLost: Self = "input.lost"
  public static let inputConfigure: Self = "input.configure"
  public static let outputInvalid: Self = "output.invalid"
  public static let moduleUnknown: Self = "module.unknown"
  public static let moduleSchemaConflict: Self = "module.schema_conflict"
  public static let moduleSecretExposed: Self = "module.secret_exposed"
  public static let moduleFactoryFailed: Self = "module.factory_failed"
  public static let moduleBadAddress: Self = "module.bad_address"
  public static let linkTimeout: Self = "link.timeout"
  public static let linkDuplicate: Self = "link.duplicate"
  public static let linkNotPresented: Self = "link.not_presented"
  public static let linkNoEndpoint: Self = "link.no_endpoint"
  public static let linkBadContainer: Self = "link.bad_container"
  public static let linkTooDeep: Self = "link.too_deep"
  public static let linkEnded: Self = "link.ended"
  public static let linkEndUnknown: Self = "link.end_unknown"
  public static let linkNotStarted: Self = "link.not_started"
  public static let moduleNoAnswer: Self = "module.no_answer"

  // Navigation.
  public static let staleRef: Self = "nav.stale_ref"
  public static let noContainer: Self = "nav.no_container"
  public static let noTransition: Self = "nav.no_transition"
  public static let rootProtected: Self = "nav.root_protected"
  public static let targetNotFound: Self = "nav.target_not_found"
  public static let vetoed: Self = "nav.vetoed"
  public static let busy: Self = "nav.busy"
  public static let superseded: Self = "nav.superseded"
  public static let orphaned: Self = "nav.orphaned"
  public static let timedOut: Self = "nav.timeout"
  public static let withdrawn: Self = "nav.withdrawn"
  public static let notWaiting: Self = "nav.not_waiting"
  public static let hostLost: Self = "nav.host_lost"
  public static let requesterLost: Self = "nav.requester_lost"
  public static let notTop: Self = "nav.not_top"
  public static let notModal: Self = "nav.not_modal"
  public static let namedTwice: Self = "nav.duplicate"
  public static let tooDeep: Self = "nav.too_deep"
  public static let stillConnecting: Self = "nav.still_connecting"
  public static let noGesture: Self = "nav.no_gesture"
  public static let rendererTaken: Self = "nav.renderer_taken"
  public static let turnGap: Self = "nav.turn_gap"
  public static let notForModules: Self = "nav.not_for_modules"
  public static let sceneClosed: Self = "nav.scene_closed"
  public static let unknownRef: Self = "nav.unknown_ref"
  public static let ambiguousRef: Self = "nav.ambiguous_ref"
  public static let commandDisabled: Self = "command.disabled"
  public static let commandNoPresenter: Self = "command.no_presenter"

  // Scenes.
  public static let sceneAppRequired: Self = "scene.app_required"
  public static let sceneAppUnknown: Self = "scene.app_unknown"
  public static let sceneAppConflict: Self = "scene.app_conflict"
  public static let sceneUnknown: Self = "scene.unknown"
  public static let sceneBadName: Self = "scene.bad_name"
  public static let sceneEnded: Self = "scene.ended"

  // Screens.
  public static let screenNeedsInput: Self = "screen.needs_input"
  public static let screenUsedUp: Self = "screen.used_up"

  // Routes.
  public static let routeInvalidURL: Self = "route.invalid_url"
  public static let routeNoMatch: Self = "route.no_match"
  public static let routeNotRoutable: Self = "route.not_routable"
  public static let routeWrongContext: Self = "route.wrong_context"
  public static let routeIncomplete: Self = "route.incomplete"
  public static let routeFailed: Self = "route.failed"
  public static let routeSuperseded: Self = "route.superseded"
  public static let routeAmbiguous: Self = "route.ambiguous"
  public static let routeBadPattern: Self = "route.bad_pattern"
  public static let routeExpired: Self = "route.expired"
  public static let routeNoPlan: Self = "route.no_plan"
  public static let navCancelled: Self = "nav.cancelled"

  // What a person does on a screen.
  public static let screenNoSuchRow: Self = "screen.no_such_row"
  public static let screenDisabled: Self = "screen.disabled"
  public static let screenNotSelectable: Self = "screen.not_selectable"
  public static let screenNotReorderable: Self = "screen.not_reorderable"
  public static let screenCovered: Self = "screen.covered"
  public static let screenNotRendered: Self = "screen.not_rendered"

  // Lists, workers, journal, time.
  public static let listStale: Self = "list.stale"
  public static let listDuplicateID: Self = "list.duplicate_id"
  public static let listNoRow: Self = "list.no_row"
  public static let listNotVisible: Self = "list.not_visible"
  public static let diffPoison: Self = "diff.poison"
  public static let diffSuperseded: Self = "diff.superseded"
  public static let diffNoWorker: Self = "diff.no_worker"
  public static let journalUnavailable: Self = "journal.unavailable"
  public static let journalLocked: Self = "journal.locked"
  public static let journalNewerFormat: Self = "journal.newer_format"
  public static let journalCorrupt: Self = "journal.corrupt"
  public static let journalSequence: Self = "journal.sequence"
  public static let journalClosed: Self = "journal.closed"
  public static let journalFile: Self = "journal.file"
  public static let journalExists: Self = "journal.exists"
  public static let timeOutOfRange: Self = "time.out_of_range"
  public static let timeReadOnly: Self = "time.read_only"
  public static let timeNotKept: Self = "time.not_kept"

  public static let sceneExists: Self = "scene.exists"

  // Recordings.
  public static let recordingDamaged: Self = "recording.damaged"
  public static let recordingNewerFormat: Self = "recording.newer_format"
  public static let recordingRunning: Self = "recording.running"
  public static let recordingNone: Self = "recording.none"
  public static let replayDiverged: Self = "replay.diverged"
  public static let catalogInvalid: Self = "catalog.invalid"
  public static let clockReal: Self = "clock.real"
  public static let clockBusy: Self = "clock.busy"
  public static let rendererIdle: Self = "renderer.idle"

  // Processes and the runtime directory.
  public static let runtimeFile: Self = "runtime.file"
  public static let processStart: Self = "process.start"
  public static let processUnknown: Self = "process.unknown"

  // Lists in files.
  public static let fileUnreadable: Self = "file.unreadable"
  public static let fileExists: Self = "file.exists"
  public static let fileUnwritable: Self = "file.unwritable"
  public static let fileTooLarge: Self = "file.too_large"
  public static let parseEncoding: Self = "parse.encoding"
  public static let parseRow: Self = "parse.row"
  public static let parseJSONLine: Self = "parse.json_line"
  public static let diffDuplicate: Self = "diff.duplicate"
  public static let diffCheckFailed: Self = "diff.check_failed"

  // The command line.
  public static let expectFailed: Self = "expect.failed"
  public static let sessionNoJob: Self = "session.no_job"
  public static let usageName: Self = "usage.name"
  public static let usageApp: Self = "usage.app"
  public static let usageNothing: Self = "usage.nothing"

  // An app's own error that it did not name, and one that the runtime did not.
  public static let appFailed: Self = "app.failed"
  public static let appCrashed: Self = "app.crashed"
  public static let appNoService: Self = "app.no_service"
  public static let unexpected: Self = "internal.unexpected"
}
