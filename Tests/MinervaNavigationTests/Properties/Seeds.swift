import Foundation

/// The seeds of a property: so many in every run, ten times as many in a deep one.
enum Seeds {
  private static var scale: UInt64 { ProcessInfo.processInfo.environment["MINERVA_DEEP"] == nil ? 1 : 10 }

  /// So many seeds, from 1.
  static func few(_ count: UInt64) -> ClosedRange<UInt64> { 1...count * scale }

  /// The seeds from 1, in four parts, so that two cores share them.
  static func parts(of count: UInt64) -> [ClosedRange<UInt64>] {
    let count = count * scale
    return (0..<4).map { part in count * part / 4 + 1...count * (part + 1) / 4 }
  }
}
