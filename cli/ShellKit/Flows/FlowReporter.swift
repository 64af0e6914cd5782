/// Who is told how scripts go; calls for one script come in order.
package protocol FlowReporter: Sendable {
  func began(_ script: FlowScript) async
  /// A line was carried out: what it answered, and the events since it began.
  func carriedOut(_ step: FlowStep, lines: [String], events: [EventText], in script: FlowScript) async
  func failed(_ failure: FlowFailure, in script: FlowScript) async
  func recovered(_ recovery: Recovery, in script: FlowScript) async
  func ended(_ result: FlowResult) async
}

/// One statement of a script with its place.
package struct FlowStep: Sendable {
  package var line: Int
  package var statement: Statement
}

extension FlowReporter {
  package func began(_ script: FlowScript) async {}
  package func carriedOut(_ step: FlowStep, lines: [String], events: [EventText], in script: FlowScript) async {}
  package func failed(_ failure: FlowFailure, in script: FlowScript) async {}
  package func recovered(_ recovery: Recovery, in script: FlowScript) async {}
  package func ended(_ result: FlowResult) async {}
}
