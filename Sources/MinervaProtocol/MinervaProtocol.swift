// MinervaProtocol: see the layer's folder in Package.swift.
