/// A point on a monotonic clock, in milliseconds.
///
/// The only time that liveness, deadlines, leases and backoff know. It is read at the edge and passed in, so a wall clock that jumps (C07) cannot
/// reach a decision.
package struct Moment: Hashable, Comparable, Sendable, Codable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  package static let zero = Moment(milliseconds: 0)
  /// Later than everything: no deadline.
  package static let distantFuture = Moment(milliseconds: .max)

  package static func < (left: Moment, right: Moment) -> Bool { left.milliseconds < right.milliseconds }

  /// The moment so many milliseconds later; saturates, since a deadline may come from a peer.
  package static func + (moment: Moment, milliseconds: Int64) -> Moment {
    let (sum, overflow) = moment.milliseconds.addingReportingOverflow(milliseconds)
    return Moment(milliseconds: overflow ? (milliseconds > 0 ? .max : .min) : sum)
  }

  /// The milliseconds from `right` to `left`; saturates.
  package static func - (left: Moment, right: Moment) -> Int64 {
    let (difference, overflow) = left.milliseconds.subtractingReportingOverflow(right.milliseconds)
    return overflow ? (left > right ? .max : .min) : difference
  }
}

extension Moment: CustomStringConvertible {
  package var description: String { "\(milliseconds) ms" }
}
