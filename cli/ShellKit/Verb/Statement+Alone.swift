import MinervaWire

/// What a statement is worth as a command of its own, `minerva VERB`, whose session ends with it.
extension Statement {
  /// Why it would do nothing, and what does it instead; nil when it does something.
  package var refusalAlone: ParseError? {
    guard let reason = emptiness else { return nil }
    return ParseError(.unexpected, reason, at: call.position)
  }

  private var emptiness: String? {
    switch request {
    case .lab(.goTo(nil)): "goto moves one shell in time, and every command begins at now"
    case .lab(.goTo(let record?)):
      "goto moves one shell in time, and this command's ends with it: look with --at \(record), fork \(record), or say it in minerva shell"
    case .lab(.render), .lab(.acknowledge):
      "\(verb.name) speaks for a shell that shows the scene, and this command's ends with it: say it in minerva shell or in a flow"
    case .lab(.drop): "fault drop is about the events of one shell, and this command's ends with it: say it in minerva shell or in a flow"
    case .session(.option(_?, _?)): "option is about one shell, and this command's ends with it: say it in minerva shell"
    case .session(.quit): "quit leaves a shell; minerva down ends the set"
    case .session(.recordScript):
      "record --as-script records what is typed into a shell, and this command's ends with it: say it in minerva shell"
    case .wait(.job): "jobs are a shell's own, and every command begins without any: say it in minerva shell"
    case .expect(.error), .expect(.exhaustive):
      "\(source) is about the commands of one shell or flow, and this one is alone: say it there, or look at the exit code"
    default: nil
    }
  }

  /// What of it ends with the command, to be said behind its answer; nil when nothing does.
  package var endsWithCommand: String? {
    switch request {
    case .session(.scene(_?, _)), .session(.restore), .lab(.fork): "later commands reach the scene with --scene NAME"
    default: call.text("alias").map { "\($0) ends with this command: later ones say its number, or @ and its module's name" }
    }
  }
}
