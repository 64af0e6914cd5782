package import MinervaWire

/// What the layer above hears from a transport, on the loop.
package protocol TransportDelegate: AnyObject {
  /// The peer may be called.
  func linkRose(_ link: Link)
  /// The peer may no longer be called; what was in flight ends with the error.
  func linkFell(_ link: Link, _ error: MinervaError)
  /// An attempt to reach a dialled peer failed; it is repeated.
  func attemptFailed(_ link: Link, _ error: MinervaError)
  /// A message of a kind that is not the link's own. The bytes live as long as the frame.
  ///
  /// - Parameter attachment: What the delegate keeps for the link; alive until this returns.
  func received(
    _ envelope: Envelope, _ message: UnsafeRawBufferPointer, in frame: Frame, for attachment: Unmanaged<AnyObject>?, on link: Link)
}
