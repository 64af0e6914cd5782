extension Refusal {
  /// What the core refuses by itself, by the name that the catalogue of errors has for it.
  ///
  /// Hosts and apps refuse with codes of their own, which travel as text.
  package struct Code: Hashable, Sendable {
    package let text: String

    private init(_ text: String) { self.text = text }

    // Limits and earlier lives.
    package static let backpressure = Code("bus.backpressure")
    package static let staleEpoch = Code("bus.stale_epoch")

    // Modules.
    package static let moduleFactoryFailed = Code("module.factory_failed")

    // The link between two modules.
    package static let linkTimeout = Code("link.timeout")
    package static let linkNoEndpoint = Code("link.no_endpoint")
    package static let linkBadContainer = Code("link.bad_container")
    package static let linkTooDeep = Code("link.too_deep")

    // What is asked of the tree.
    package static let staleRef = Code("nav.stale_ref")
    package static let noContainer = Code("nav.no_container")
    package static let noTransition = Code("nav.no_transition")
    package static let rootProtected = Code("nav.root_protected")
    package static let targetNotFound = Code("nav.target_not_found")
    package static let vetoed = Code("nav.vetoed")
    package static let busy = Code("nav.busy")
    package static let superseded = Code("nav.superseded")
    package static let orphaned = Code("nav.orphaned")
    package static let timedOut = Code("nav.timeout")
    package static let withdrawn = Code("nav.withdrawn")
    package static let notWaiting = Code("nav.not_waiting")
    package static let hostLost = Code("nav.host_lost")
    package static let requesterLost = Code("nav.requester_lost")
    package static let notTop = Code("nav.not_top")
    package static let notModal = Code("nav.not_modal")
    package static let namedTwice = Code("nav.duplicate")
    package static let tooDeep = Code("nav.too_deep")
    package static let stillConnecting = Code("nav.still_connecting")
    package static let noGesture = Code("nav.no_gesture")
    package static let rendererTaken = Code("nav.renderer_taken")
    package static let turnGap = Code("nav.turn_gap")
    package static let notForModules = Code("nav.not_for_modules")
    package static let sceneClosed = Code("nav.scene_closed")
    package static let navCancelled = Code("nav.cancelled")

    // Presentation commands.
    package static let commandDisabled = Code("command.disabled")

    // Screens.
    package static let screenNeedsInput = Code("screen.needs_input")
    package static let screenUsedUp = Code("screen.used_up")
    package static let screenCovered = Code("screen.covered")

    // Links from outside.
    package static let routeInvalidURL = Code("route.invalid_url")
    package static let routeNoMatch = Code("route.no_match")
    package static let routeNotRoutable = Code("route.not_routable")
    package static let routeWrongContext = Code("route.wrong_context")
    package static let routeIncomplete = Code("route.incomplete")
    package static let routeFailed = Code("route.failed")
    package static let routeSuperseded = Code("route.superseded")
    package static let routeAmbiguous = Code("route.ambiguous")
    package static let routeExpired = Code("route.expired")
    package static let routeNoPlan = Code("route.no_plan")

    // The journal.
    package static let journalCorrupt = Code("journal.corrupt")
  }

  /// Creates a refusal of the core's own.
  package init(code: Code, message: String, details: [Detail] = []) {
    self.init(code: code.text, message: message, details: details)
  }
}
