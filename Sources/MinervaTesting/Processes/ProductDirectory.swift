import Glibc
public import MinervaWire

/// Where the built executables are: beside the running one, or where `MINERVA_PRODUCTS` says.
public enum ProductDirectory {
  /// The path of a built executable; an absolute path is what it says.
  ///
  /// - Throws: `process.start` with the directories that were looked into.
  public static func executable(_ name: String) throws(MinervaError) -> String {
    if name.hasPrefix("/"), access(name, X_OK) == 0 { return name }
    var looked: [String] = []
    for directory in candidates() {
      let path = "\(directory)/\(name)"
      if access(path, X_OK) == 0 { return path }
      looked.append(directory)
    }
    throw MinervaError(.processStart, "\(name) is not built; looked in \(looked.joined(separator: ", ")); run swift build first")
  }

  /// The directories of executables, likeliest first: a test bundle may lie in a directory of its own below the products.
  private static func candidates() -> [String] {
    var found: [String] = []
    if let named = getenv("MINERVA_PRODUCTS").map({ String(cString: $0) }), !named.isEmpty { found.append(named) }
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink("/proc/self/exe", &bytes, Int(PATH_MAX))
    if count > 0 {
      var path = Substring(String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self))
      for _ in 0..<4 {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { break }
        path = path[..<slash]
        found.append(String(path))
      }
    }
    return found
  }
}
