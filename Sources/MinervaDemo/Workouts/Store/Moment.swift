/// A point in time to the minute, without time zones: minutes since the start of 1970.
///
/// The app's dates come from the scene's clock and its store, never from the wall, so equal runs show equal dates.
public struct Moment: Codable, Hashable, Comparable, Sendable {
  /// Minutes since 1970-01-01T00:00.
  public var minutes: Int

  public init(minutes: Int) {
    self.minutes = minutes
  }

  public init(from decoder: any Decoder) throws {
    minutes = try decoder.singleValueContainer().decode(Int.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(minutes)
  }

  public static func < (a: Self, b: Self) -> Bool { a.minutes < b.minutes }

  /// The whole days since 1970.
  public var day: Int { minutes >= 0 ? minutes / 1440 : (minutes - 1439) / 1440 }
  /// Minutes since midnight.
  public var minuteOfDay: Int { minutes - day * 1440 }

  /// The date, `2026-01-31`.
  public var isoDate: String {
    let (year, month, day) = Self.civil(fromDays: day)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }

  /// The time of day, `07:30`.
  public var isoTime: String { Self.isoTime(minuteOfDay) }

  static func isoTime(_ minuteOfDay: Int) -> String { "\(padded(minuteOfDay / 60, 2)):\(padded(minuteOfDay % 60, 2))" }

  /// Date and time, `2026-01-31T07:30`.
  public var iso: String { "\(isoDate)T\(isoTime)" }

  /// The date as people read it, `Sat 31 Jan 2026`.
  public var spoken: String {
    let (year, month, date) = Self.civil(fromDays: day)
    let weekday = ((day % 7) + 7) % 7
    return "\(Self.weekdays[weekday]) \(date) \(Self.months[month - 1]) \(year)"
  }

  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

extension Moment {
  /// Reads `2026-01-31` or `2026-01-31T07:30`; `nil` for anything else, impossible dates included.
  public init?(iso text: String) {
    let parts = text.split(separator: "T", omittingEmptySubsequences: false)
    guard let first = parts.first, parts.count <= 2, let day = Self.days(isoDate: first) else { return nil }
    var minutes = day * 1440
    if parts.count == 2 {
      guard let time = Self.minuteOfDay(isoTime: parts[1]) else { return nil }
      minutes += time
    }
    self.init(minutes: minutes)
  }

  /// Reads `07:30` as minutes since midnight.
  static func minuteOfDay(isoTime text: some StringProtocol) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let hour = number(parts[0], 2), let minute = number(parts[1], 2), hour < 24, minute < 60 else { return nil }
    return hour * 60 + minute
  }

  /// Reads `2026-01-31` as days since 1970.
  static func days(isoDate text: some StringProtocol) -> Int? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let year = number(parts[0], 4), let month = number(parts[1], 2), let day = number(parts[2], 2) else {
      return nil
    }
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    let days = days(fromCivil: year, month, day)
    return civil(fromDays: days) == (year, month, day) ? days : nil
  }

  private static func number(_ text: some StringProtocol, _ digits: Int) -> Int? {
    guard text.count == digits, text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    return Int(text)
  }

  /// Days since 1970 of a date of the Gregorian calendar (H. Hinnant, "chrono-compatible low-level date algorithms").
  private static func days(fromCivil year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(fromDays days: Int) -> (Int, Int, Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let part = (5 * dayOfYear + 2) / 153
    let month = part < 10 ? part + 3 : part - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
  }
}

private func padded(_ number: Int, _ digits: Int) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}
