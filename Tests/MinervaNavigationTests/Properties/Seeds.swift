import Foundation

/// The seeds of a property: a few in every run, twenty times as many in a deep one.
enum Seeds {
  /// So many seeds, from 1.
  static func few(_ count: UInt64) -> ClosedRange<UInt64> {
    1...(ProcessInfo.processInfo.environment["MINERVA_DEEP"] == nil ? count : count * 20)
  }
}
