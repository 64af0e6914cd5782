import MinervaNavigation

/// Whoever shows the scene, as a script: it wants to be the primary, sees transitions, acknowledges them late or never, and dies.
struct ScriptedRenderer {
  let name: String
  private(set) var connection: UInt64 = 0
  /// What it believes: the broker said that it is the primary.
  var isPrimary = false
  /// Transitions it has seen and not acknowledged.
  var shown: [UInt64] = []

  init(name: String) { self.name = name }

  var isConnected: Bool { connection != 0 }

  mutating func connect(_ connection: UInt64) { self.connection = connection }

  mutating func disconnect() {
    connection = 0
    isPrimary = false
    shown = []
  }
}
