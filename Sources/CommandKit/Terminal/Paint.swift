/// The few colours in use, each nothing where colour is off.
package struct Paint: Sendable, Hashable {
  package let isOn: Bool

  package init(_ isOn: Bool) { self.isOn = isOn }

  package enum Tone: String, Sendable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
  }

  package func callAsFunction(_ tone: Tone, _ text: String) -> String {
    isOn ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
  }
}
