/// A name of something that belongs to a scene.
protocol SceneNamed: Hashable {
  var scene: String { get }
}

/// What is kept of many scenes, each scene's apart: what one scene has is found, and let go of, without a look at the others'.
///
/// Used as a dictionary. A look-up hashes the scene's name and the key.
struct SceneTable<Key: SceneNamed, Value> {
  private var scenes: [String: [Key: Value]] = [:]

  var isEmpty: Bool { scenes.isEmpty }

  subscript(key: Key) -> Value? {
    get { scenes[key.scene]?[key] }
    set {
      if let newValue {
        scenes[key.scene, default: [:]][key] = newValue
      } else {
        removeValue(forKey: key)
      }
    }
  }

  /// What is kept of a scene. O(1).
  func of(_ scene: String) -> [Key: Value] { scenes[scene] ?? [:] }

  /// Removes one thing; constant time, whatever else is kept.
  @discardableResult
  mutating func removeValue(forKey key: Key) -> Value? {
    let value = scenes[key.scene]?.removeValue(forKey: key)
    if value != nil, scenes[key.scene]?.isEmpty == true { scenes[key.scene] = nil }
    return value
  }

  /// Removes what is kept of a scene. Linear in that.
  mutating func removeAll(of scene: String) { scenes[scene] = nil }

  /// Removes what fits. Linear in all that is kept.
  mutating func removeAll(where fits: (Value) -> Bool) {
    for (key, value) in self where fits(value) { removeValue(forKey: key) }
  }
}

extension SceneTable: Sequence {
  func makeIterator() -> some IteratorProtocol<(key: Key, value: Value)> { scenes.values.joined().makeIterator() }
}

extension SceneTable: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (Key, Value)...) {
    for (key, value) in elements { self[key] = value }
  }
}
