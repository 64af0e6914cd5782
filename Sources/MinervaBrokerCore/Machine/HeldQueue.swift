import MinervaInterfaces
import MinervaNavigation

/// What waits until the records before it are durable, first in, first out (N16).
struct HeldQueue {
  /// What happens then.
  enum Item {
    case effects(SceneSlot, [Effect])
    case reply(CallToken, BrokerAction.Reply)
    case receipt(CallToken, HostReceipt, node: String, join: UInt64)
    indirect case look(
      CallToken, scene: String, tree: SceneTree, record: UInt64, at: SceneTime, settled: Bool, plans: [PlanReport], renderings: Bool)
  }

  /// The last record that was handed to the journal…
  private(set) var last: UInt64 = 0
  /// …and the last that is durable.
  private(set) var durable: UInt64 = 0
  private var items: [(ticket: UInt64, item: Item)?] = []
  private var head = 0

  var count: Int { items.count - head }

  /// Whether every record is durable, and nothing waits to be told so.
  var isDurable: Bool { durable >= last && head == items.count }

  /// The number of the next record that is handed to the journal.
  mutating func nextTicket() -> UInt64 {
    last += 1
    return last
  }

  /// Has something wait for all records so far.
  mutating func append(_ item: Item) { items.append((last, item)) }

  /// Everything up to this record is durable.
  mutating func commit(upTo ticket: UInt64) { durable = max(durable, ticket) }

  /// No record is under way any more: those that were are lost.
  mutating func commitAll() { durable = last }

  /// The first item, if the records before it are durable.
  mutating func popDurable() -> Item? {
    guard head < items.count, let ticket = items[head]?.ticket, ticket <= durable else { return nil }
    return popFirst()
  }

  /// The first item, whatever it waits for.
  mutating func popFirst() -> Item? {
    guard head < items.count else { return nil }
    let first = items[head].take()
    head += 1
    if head == items.count {
      items.removeAll(keepingCapacity: head <= 4_096)
      head = 0
    } else if head > 4_096 {
      items.removeFirst(head)
      head = 0
    }
    return first?.item
  }
}
