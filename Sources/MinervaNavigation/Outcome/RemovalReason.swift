/// Why a screen left; each screen has exactly one (N7).
public enum RemovalReason: String, Hashable, Sendable, Codable, CaseIterable {
  /// By `back`, `close`, `tab --reset`, or because it stood above a screen that left.
  case popped
  /// By `replace`, `root` or `stack set`.
  case replaced
  /// With its modal layer.
  case dismissed
  /// By the person's finger.
  case gesture
  /// By its own result.
  case finished
  /// By itself, without result.
  case cancelled
  /// Its host's lease was over, or its module crashed.
  case hostLost
  /// Its caller died before it was linked.
  case requesterLost
  /// With its scene.
  case sceneClosed
  /// With the screen whose tab, slot, split or modal layer it stood in, or with the coordinator without screen that opened it.
  case parentRemoved
  /// It was never presented: its link was refused, or the transaction it belonged to failed.
  case rolledBack
}
