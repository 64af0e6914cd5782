import MinervaWire

/// Makes control bytes of foreign data visible, so that a name can never drive the terminal (D06).
package enum Escaping {
  /// Returns the text with C0, C1, DEL, line separators and direction overrides written out, `\x1b`, `\n`, `\u{202e}`.
  package static func visible(_ text: String) -> String { Printable.visible(text) }

  /// Whether a scalar could move the cursor, change colours or turn the reading direction of what follows.
  package static func isControl(_ scalar: Unicode.Scalar) -> Bool { Printable.isControl(scalar) }
}
