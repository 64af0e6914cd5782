/// Every code the runtime answers, with its cause and its remedy: the one source of `help errors`.
public enum ErrorCatalogue {
  /// What is known about one code.
  public struct Entry: Hashable, Sendable {
    public let code: MinervaError.Code
    /// Why it happens.
    public let cause: String
    /// What to do about it.
    public let remedy: String
    /// Whether sending the same request again later can help, unless an error says otherwise itself.
    public let retryable: Bool

    init(_ code: MinervaError.Code, _ cause: String, _ remedy: String, retryable: Bool = false) {
      self.code = code
      self.cause = cause
      self.remedy = remedy
      self.retryable = retryable
    }
  }

  /// The entry of a code, or nothing for codes of apps and of newer peers.
  public static func entry(for code: MinervaError.Code) -> Entry? { byCode[code] }

  private static let byCode: [MinervaError.Code: Entry] = Dictionary(entries.map { ($0.code, $0) }) { first, _ in first }

  /// All entries, in the order in which they are shown.
  public static let entries: [Entry] = bus + payloads + navigation + scenes + routes + rest + programs

  private static let bus: [Entry] = [
    Entry(.unreachable, "no process listens at the address", "start it (minerva up) or check --connect", retryable: true),
    Entry(
      .peerLost, "the other process died, stopped or lost its connection during the call", "look at details.maybe_executed, then repeat"),
    Entry(.deadline, "no answer came in time", "repeat with a longer --timeout; look at minerva status for a stalled process"),
    Entry(.cancelled, "the caller gave up", "nothing, unless you did not mean to"),
    Entry(.backpressure, "a bounded queue is full", "wait for details.retry_after_ms, send fewer at a time", retryable: true),
    Entry(.tooLarge, "a message is over the limit", "send less, or raise the limit on both sides"),
    Entry(.badMessage, "the bytes do not follow the protocol", "check that both ends are Minerva of compatible versions"),
    Entry(.notExposed, "the actor does not offer this call", "expose the interface, or bring both ends to one version"),
    Entry(.noSuchActor, "nobody of that name lives there", "look the name up again: it may have ended or moved", retryable: true),
    Entry(.unauthorized, "the key's role does not allow it", "ask for a key with the role (minerva keys allow)"),
    Entry(.unsupported, "the peer does not know this kind of message or version", "bring both ends to compatible versions"),
    Entry(.notOwner, "another broker owns the scene", "ask the broker in details.owner", retryable: true),
    Entry(.staleEpoch, "the sender speaks for an earlier life of itself or of the scene", "register again, then repeat", retryable: true),
    Entry(.nameTaken, "a live process has that name", "choose another name or stop the other process"),
    Entry(.closed, "this end is shutting down", "connect again", retryable: true),
    Entry(.unsafeDirectory, "the runtime directory has the wrong owner or mode", "chown it to you and chmod 0700, or choose another"),
    Entry(.endpointInvalid, "the address cannot be used", "ipc paths have at most 107 bytes; tcp needs host:port"),
    Entry(.endpointTaken, "something else lives at that address", "stop it or choose another address"),
  ]

  private static let payloads: [Entry] = [
    Entry(.inputInvalid, "the payload does not fit the module's input", "correct the field the text names; see modules NAME"),
    Entry(.inputConfigure, "the block that configures a module failed", "correct the block; its own error is in the text"),
    Entry(.inputSecret, "a secret was given where it would be written down", "give it with open, send or enter"),
    Entry(.inputLost, "a secret was only in the memory of a broker that died", "give it again"),
    Entry(.outputInvalid, "the payload does not fit the module's output", "correct the field the text names; see modules NAME"),
    Entry(.moduleUnknown, "no running host offers the module", "check the name and that its host runs (modules)"),
    Entry(.moduleSchemaConflict, "two hosts offer the module with different schemas", "bring both hosts to one version"),
    Entry(
      .moduleSecretExposed, "an output, a result or a state has a secret field",
      "keep secrets in inputs, and out of the state that is journaled"),
    Entry(.moduleFactoryFailed, "the host could not create the module", "look at the host's log"),
    Entry(.moduleBadAddress, "the address of a module cannot be read", "write Module or Module@host"),
    Entry(.linkTimeout, "the host did not answer in time whether it takes the screen", "look at the host; repeat", retryable: true),
    Entry(.linkDuplicate, "a module was linked twice", "open it once"),
    Entry(.linkNotPresented, "the module was configured but not presented", "present it, or drop it"),
    Entry(.linkNoEndpoint, "the host offers no endpoint for the call", "look at the host's log"),
    Entry(.linkBadContainer, "the tabs that a module brings cannot be shown", "correct the names and the selection the text speaks of"),
    Entry(.linkTooDeep, "modules bring one another without end", "let one of them start with a module that brings none"),
    Entry(.linkEnded, "the module has ended with this turn", "ask before finish or cancel"),
    Entry(
      .linkEndUnknown, "a module left while more messages waited for whoever opened it than are kept",
      "look at what it was for; let handlers end sooner"),
    Entry(.linkNotStarted, "a module cannot be awaited before it has its place", "open it in load() and hear its end in child(_:)"),
    Entry(.moduleNoAnswer, "the module answers no question of that name", "ask one it offers, or write its answer"),
  ]

  private static let navigation: [Entry] = [
    Entry(.staleRef, "the screen has left", "look at tree; the text says when and why it left"),
    Entry(.noContainer, "there is no such container here", "use one of the kinds the text names"),
    Entry(.noTransition, "the module has no transition of that name", "use one the text names"),
    Entry(.rootProtected, "the root of a stack cannot be popped", "dismiss or replace it instead"),
    Entry(.targetNotFound, "the target is not in this stack", "look at the stack in the text"),
    Entry(.vetoed, "the screen does not let itself be swiped away now", "finish what it holds, or remove it by a command"),
    Entry(.busy, "a transition runs and the policy is reject", "wait, or use --policy queue", retryable: true),
    Entry(.superseded, "a newer request replaced this one", "nothing, unless both were meant"),
    Entry(.orphaned, "the screen to present from has left", "open from a screen that is there"),
    Entry(
      .timedOut, "the request was not done in its time",
      "the text says what it waits for and whether it may still happen; repeat with a longer --timeout"),
    Entry(.withdrawn, "the request was taken back before it was done", "nothing, unless you did not mean to"),
    Entry(.notWaiting, "there is no request to take back, or it is being done", "look at tree for what became of it"),
    Entry(.hostLost, "the host died before the screen was presented", "repeat: another host may offer the module", retryable: true),
    Entry(.requesterLost, "who asked has gone", "nothing: what had begun was rolled back"),
    Entry(.notTop, "another screen is on top than --if-top names", "look at stack, then decide again"),
    Entry(.notModal, "nothing modal is up, or the screen stands in no modal layer", "use back or close"),
    Entry(.namedTwice, "one screen is named twice in a stack", "name it once, or open its module again"),
    Entry(.tooDeep, "8 containers stand in one another", "open it further out"),
    Entry(.stillConnecting, "the screen is not on the tree yet", "wait until it is presented, or withdraw its request", retryable: true),
    Entry(.noGesture, "no such gesture has begun", "gesture back begin, or dismiss begin, comes first"),
    Entry(.rendererTaken, "another renderer shows the scene", "take over, or observe"),
    Entry(.turnGap, "a host reports a turn whose forerunner never came", "look at the host's log: it is a fault of the host"),
    Entry(.notForModules, "a coordinator asks for what only people do", "use a request that modules have"),
    Entry(.unknownRef, "nothing open has that name", "look at tree; names are given with as @NAME"),
    Entry(.ambiguousRef, "several open screens have that name", "say which by its id, or open it with as @NAME"),
    Entry(.commandDisabled, "the command cannot run now", "look at commands for why, or wait until it is enabled"),
    Entry(.commandNoPresenter, "nobody is there to present what the command opens", "execute it while its screen is open"),
    Entry(.screenNeedsInput, "the screen's host and the secrets of its input are lost", "close it and open it again"),
    Entry(.screenUsedUp, "its turns, messages or outputs have no numbers left", "close it and open it anew"),
  ]

  private static let scenes: [Entry] = [
    Entry(.sceneAppRequired, "several apps run and none was named", "add --app NAME"),
    Entry(.sceneAppUnknown, "no running host offers the app", "check the name and that its host runs (modules)"),
    Entry(.sceneAppConflict, "the scene shows another app", "choose another name for the scene"),
    Entry(.sceneUnknown, "a look at a scene that does not exist", "check the name with scene; --app NAME begins it"),
    Entry(.sceneBadName, "a scene cannot have that name", "use 1 to 128 bytes without / and # and control characters"),
    Entry(.sceneEnded, "the scene has ended", "its next use begins it anew"),
    Entry(.sceneClosed, "the scene has ended while it was asked", "its next use begins it anew"),
  ]

  private static let routes: [Entry] = [
    Entry(.routeInvalidURL, "the URL cannot be read", "check percent signs and encoding"),
    Entry(.routeNoMatch, "no route matches the URL", "look at routes"),
    Entry(.routeNotRoutable, "the module cannot be reached by a link", "open it by name"),
    Entry(.routeWrongContext, "the route needs a context that is not there", "add --context, or open what it needs first"),
    Entry(.routeIncomplete, "the plan stopped before its end", "look at plans"),
    Entry(.routeFailed, "a step of the plan failed", "the text names the step and its error"),
    Entry(.routeSuperseded, "a newer link replaced this plan", "nothing, unless both were meant"),
    Entry(.routeAmbiguous, "two routes of a module match the same paths", "rename one: the text names both"),
    Entry(.routeBadPattern, "a route's path cannot match, or has nobody to answer for it", "correct what the text names"),
    Entry(.routeExpired, "the screen that a link waited for did not end in time", "follow the link again"),
    Entry(.routeNoPlan, "no plan of that name waits", "look at plans"),
    Entry(.navCancelled, "a plan was ended by cancel", "nothing, unless you did not mean to"),
  ]

  private static let rest: [Entry] = [
    Entry(.screenNoSuchRow, "the screen has no such row, field, action or command", "look at list, or commands, for what it has"),
    Entry(.screenDisabled, "the row or button takes nothing from a person now", "look at list for why, or wait until it is enabled"),
    Entry(.screenNotSelectable, "the row is there to be read, not to be tapped", "tap another row"),
    Entry(.screenNotReorderable, "the row may not be dragged", "move a row that its screen made reorderable (list shows ↕)"),
    Entry(.screenCovered, "another layer lies over the screen", "dismiss what covers it, or act on what is on top"),
    Entry(.screenNotRendered, "the screen has not shown anything yet", "wait until its host has drawn it (wait settled)"),
    Entry(.listStale, "the call speaks of an earlier version of the list", "take the current version and repeat", retryable: true),
    Entry(.listDuplicateID, "an identifier occurs twice in a list", "make it unique, or give the screen another policy for duplicates"),
    Entry(.listNoRow, "the list has no such row", "ask the list where the row stands (indexPath)"),
    Entry(.listNotVisible, "nobody sees the list", "render: the newest value is shown when the screen is seen again"),
    Entry(.diffPoison, "every worker that took the job died", "look at the job's data; details.dead_workers names them"),
    Entry(.diffSuperseded, "a newer job for the same list replaced this one", "nothing: the newer answer is the one to show"),
    Entry(.diffNoWorker, "no diff worker is running", "start one (minerva up)", retryable: true),
    Entry(.journalUnavailable, "the journal cannot be written", "free space or restore the disk; nothing was lost", retryable: true),
    Entry(.journalLocked, "another process has the journal open", "stop it, or choose another data directory", retryable: true),
    Entry(.journalNewerFormat, "a newer Minerva wrote the journal", "use that version, or another data directory"),
    Entry(.journalCorrupt, "stored bytes are not those that were written", "run minerva journal verify; look at the disk"),
    Entry(.journalSequence, "a record does not follow the scene's last one", "load the scene again, then repeat"),
    Entry(.journalClosed, "the journal is closed", "the broker is ending: connect again", retryable: true),
    Entry(.journalFile, "the journal's file cannot be opened or read", "check its directory's owner, mode and free space"),
    Entry(.journalExists, "there is a journal where one should be imported to", "move it away, or name another file"),
    Entry(.runtimeFile, "the system refused a file of the runtime directory", "check its owner and free space, or choose another"),
    Entry(.processStart, "a process could not be started", "check that it is built and executable; the text has the system's reason"),
    Entry(.processUnknown, "no process of that name is supervised", "look at minerva status for the names"),
    Entry(.timeOutOfRange, "the journal does not reach back that far, or the scene has not come that far", "ask for a time in between"),
    Entry(.timeReadOnly, "the session looks at the past, which nobody changes", "goto now leads back, fork begins a scene from there"),
    Entry(.timeNotKept, "what screens showed in the past is not kept", "look at tree, stack or show, or fork the scene and look there"),
    Entry(.sceneExists, "there is a scene of that name", "choose another name, or leave it to the broker"),
    Entry(.recordingDamaged, "a recording is cut off, or not as it was written", "the text names the line; take the recording again"),
    Entry(.recordingNewerFormat, "a newer Minerva made the recording", "replay it with that version"),
    Entry(.recordingRunning, "the session records already", "record stop ends it"),
    Entry(.recordingNone, "the session does not record", "record FILE begins"),
    Entry(.replayDiverged, "the core did something else than the recorded one", "look at the text: the trees' difference and its cause"),
    Entry(
      .catalogInvalid, "a catalogue file is not what a catalogue app needs",
      "correct it at the path the text names; help catalog shows the form"),
    Entry(
      .clockReal, "the set runs on the machine's clock, where nobody moves time",
      "write clock virtual into the head of a flow, or start a set with minerva up --virtual"),
    Entry(.clockBusy, "virtual time does not pass: something is under way that never ends", "look at status and logs for who is stuck"),
    Entry(.rendererIdle, "no transition waits for this renderer", "render hold or render DURATION first; each is acknowledged once"),
    Entry(.fileUnreadable, "the file cannot be opened or read", "check its name and mode; the text has the system's reason"),
    Entry(.fileExists, "a file of that name would be overwritten", "remove it, or choose another name"),
    Entry(.fileUnwritable, "the file cannot be made or written", "check its directory's mode and free space; the text has the reason"),
    Entry(.fileTooLarge, "the file is longer than 32-bit positions reach", "split it: fewer than 4 GiB and 2147483648 rows are possible"),
    Entry(.parseEncoding, "the file is not UTF-8 text", "convert it (iconv); the text names the line"),
    Entry(.parseRow, "a row has not the columns it should have", "correct the line the text names, or the column asked for"),
    Entry(.parseJSONLine, "a line is not a JSON object with the keys asked for", "correct the line the text names, or the key asked for"),
    Entry(.diffDuplicate, "one identifier stands for two rows of a list", "make it unique, or pair by order: --duplicates occurrence"),
    Entry(
      .diffCheckFailed, "a change set replays to something else than the new list", "report it with both files: it is a fault of the differ"
    ),
    Entry("diff.too_large", "a list has 2147483648 elements or more", "split it"),
    Entry("diff.cancelled", "the caller gave the diff up before it was done", "nothing, unless you did not mean to", retryable: true),
    Entry("diff.mismatch", "a change set meets a list that it was not computed from", "take the list that it speaks of, or diff again"),
    Entry("diff.invalid", "a change set contradicts itself", "diff again; report it if the differ made it"),
    Entry("diff.malformed", "the bytes are no change set", "check that both ends are Minerva of compatible versions"),
    Entry("diff.limit", "a change set is over the limit that its reader set", "raise the limit, or split the list"),
  ]

  private static let programs: [Entry] = [
    Entry(.expectFailed, "an expectation did not hold", "compare the tree before and after"),
    Entry(.sessionNoJob, "no job of that number runs in the background", "the number stands in brackets where it was begun"),
    Entry(.usageName, "a process cannot have that name", "use 1 to 64 bytes without spaces and slashes"),
    Entry(.usageApp, "a script names an app that is none of ours", "use one the text names, or host EXECUTABLE"),
    Entry(.usageNothing, "no script is left to run", "look at --filter and the files' names"),
    Entry(.appFailed, "the app's code threw an error", "the text is the app's own"),
    Entry(.appCrashed, "the host died again and again while it handled this", "its handler traps; minerva logs NAME may say where"),
    Entry(.appNoService, "nobody offers a service that the host asks for", "start it, then the host"),
    Entry(.unexpected, "an error that the runtime has no name for", "report it with the command: it is a fault of Minerva"),
  ]
}
