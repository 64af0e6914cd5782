package import MinervaJournal

/// A part of a scene that was read as it was written and makes no sense to this broker (P3).
package struct UnusablePart: Error, Hashable {
  package var scene: String
  package var part: JournalPart
  /// What is wrong with it, for people.
  package var reason: String
}
