public import Minerva

/// A message that waits for an answer.
public enum Alert: Module {
  public struct Input: Codable, Sendable {
    public var text: String
    public var title: String?

    public init(text: String, title: String? = nil) {
      self.text = text
      self.title = title
    }
  }

  /// The identifier of the answer that was tapped.
  public typealias Result = String

  public static let summary = "a message that waits for an answer"
}

actor AlertCoordinator: Coordinator {
  let context: Context<Alert>
  private let input: Alert.Input

  init(_ input: Alert.Input, _ context: Context<Alert>) {
    self.context = context
    self.input = input
  }

  func handle(_ action: Action) throws {
    if case .tap("ok") = action { try context.finish("ok") }
  }

  func render() -> Screen {
    Screen(alert: AlertForm(title: input.title ?? "Notice", message: input.text))
  }
}
