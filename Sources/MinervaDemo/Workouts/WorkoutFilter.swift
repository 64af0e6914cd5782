/// Which workouts a list shows: those between two dates and between two times of day, each end optional and part of the range.
///
/// The ends are written as ISO 8601 has them, which compare as text.
public struct WorkoutFilter: Codable, Hashable, Sendable {
  /// One end of the filter.
  public enum End: String, Codable, CaseIterable, Sendable {
    case startDate, endDate, startTime, endTime

    /// What it is called on screens.
    public var title: String {
      switch self {
      case .startDate: "Start date"
      case .endDate: "End date"
      case .startTime: "Start time"
      case .endTime: "End time"
      }
    }

    /// Whether it is a date, not a time of day.
    public var isDate: Bool { self == .startDate || self == .endDate }
    /// Whether it is the lower end.
    public var isStart: Bool { self == .startDate || self == .startTime }

    /// The other end of the same range.
    public var opposite: End {
      switch self {
      case .startDate: .endDate
      case .endDate: .startDate
      case .startTime: .endTime
      case .endTime: .startTime
      }
    }

    /// Whether a text is a value for this end.
    public func reads(_ text: String) -> Bool {
      isDate ? Moment.days(isoDate: text) != nil : Moment.minuteOfDay(isoTime: text) != nil
    }
  }

  public var startDate: String?
  public var endDate: String?
  public var startTime: String?
  public var endTime: String?

  public init(startDate: String? = nil, endDate: String? = nil, startTime: String? = nil, endTime: String? = nil) {
    self.startDate = startDate
    self.endDate = endDate
    self.startTime = startTime
    self.endTime = endTime
  }

  public subscript(end: End) -> String? {
    get {
      switch end {
      case .startDate: startDate
      case .endDate: endDate
      case .startTime: startTime
      case .endTime: endTime
      }
    }
    set {
      switch end {
      case .startDate: startDate = newValue
      case .endDate: endDate = newValue
      case .startTime: startTime = newValue
      case .endTime: endTime = newValue
      }
    }
  }

  /// Whether a workout of this date is shown.
  public func admits(_ date: Moment) -> Bool {
    Self.within(date.isoDate, startDate, endDate) && Self.within(date.isoTime, startTime, endTime)
  }

  private static func within(_ value: String, _ low: String?, _ high: String?) -> Bool {
    (low.map { $0 <= value } ?? true) && (high.map { value <= $0 } ?? true)
  }

  /// The filter in words, `none` without any end.
  public var spoken: String {
    let parts = End.allCases.compactMap { end in self[end].map { "\(end.title.lowercased()) \($0)" } }
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }
}
