// What authors and callers write by name: presentations and reasons, what crosses processes, where a broker is and how one proves
// oneself to it, and the errors that come back. One import is enough for them.
@_exported public import MinervaInterfaces
@_exported public import MinervaNavigation
@_exported public import struct MinervaTransport.BusSecurity
@_exported public import struct MinervaTransport.CurveKeyPair
@_exported public import enum MinervaTransport.Endpoint
@_exported public import enum MinervaWire.JSONValue
@_exported public import struct MinervaWire.MinervaError
@_exported public import protocol MinervaWire.PayloadDescribing
@_exported public import enum MinervaWire.PayloadShape
@_exported public import struct MinervaWire.Secret
