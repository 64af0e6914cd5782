/// What `status` counts. What happens at each transition stands apart: it is counted without a look at its name.
struct BrokerCounters {
  var requests = 0
  var records = 0
  var answers = 0
  private var others: [String: Int] = [:]

  /// All that has happened, by name.
  var all: [String: Int] {
    var all = others
    for (name, count) in [("requests", requests), ("records", records), ("answers", answers)] where count > 0 { all[name] = count }
    return all
  }

  mutating func add(_ amount: Int, to name: String) { others[name, default: 0] += amount }
}
