/// What a person did on a screen.
public enum Action: Hashable, Sendable {
  /// Pressed a row, a button or an alert's answer.
  case tap(String)
  /// Swiped a row and chose one of its actions.
  case swipe(String, action: String)
  /// Entered a value in a field.
  case enter(String, value: String)
  /// Dragged a row to a place before or after another.
  case move(String, Placement, of: String)
  /// Ran a command by its name, with a JSON payload if it takes one.
  case execute(String, payload: [UInt8]?)

  /// On which side of another row a row was dropped.
  public enum Placement: String, Codable, Hashable, Sendable {
    case before, after
  }
}
