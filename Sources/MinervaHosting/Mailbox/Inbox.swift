import MinervaInterfaces
import MinervaNavigation
import Synchronization

/// What a host has said to a coordinator and its mailbox has not looked at yet. Said from any thread, in the order of the calls; whoever looks
/// takes all, so the order of those who look does not matter.
final class Inbox: Sendable {
  private let messages = Mutex<[(Message, SceneTime)]>([])
  /// Whether the screen is seen, as far as that was not passed on to the list.
  private let sight = Mutex<(isSeen: Bool, isAwaited: Bool)?>(nil)

  func post(_ message: Message, at time: SceneTime) { messages.withLock { $0.append((message, time)) } }

  func takeMessages() -> [(Message, SceneTime)] {
    messages.withLock { messages in
      defer { messages.removeAll(keepingCapacity: true) }
      return messages
    }
  }

  /// Keeps the newest word alone; that somebody waits for what is shown counts until it is heard.
  func see(_ isSeen: Bool, isAwaited: Bool) { sight.withLock { $0 = (isSeen, isAwaited || $0?.isAwaited == true) } }

  func takeSight() -> (isSeen: Bool, isAwaited: Bool)? {
    sight.withLock { sight in
      defer { sight = nil }
      return sight
    }
  }
}
