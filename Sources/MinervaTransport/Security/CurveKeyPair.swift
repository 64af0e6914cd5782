import CZeroMQ
import Glibc
public import MinervaWire

/// A CURVE25519 key pair in Z85: 40 characters each.
public struct CurveKeyPair: Hashable, Sendable {
  public let publicKey: String
  public let secretKey: String

  /// The length of a key in Z85.
  public static let textLength = 40

  /// Draws a new pair.
  public init() throws(MinervaError) {
    var publicText = [CChar](repeating: 0, count: Self.textLength + 1)
    var secretText = publicText
    guard zmq_curve_keypair(&publicText, &secretText) == 0 else {
      throw MinervaError(.unsupported, "libzmq was built without CURVE; install a libzmq that has it")
    }
    publicKey = Self.text(publicText)
    secretKey = Self.text(secretText)
  }

  /// Makes a pair from its secret key; the public one is derived.
  public init(secretKey: String) throws(MinervaError) {
    guard Self.isKey(secretKey) else { throw MinervaError(.unauthorized, "a secret key has 40 characters of Z85") }
    var publicText = [CChar](repeating: 0, count: Self.textLength + 1)
    guard zmq_curve_public(&publicText, secretKey) == 0 else { throw MinervaError(.unauthorized, "the secret key cannot be read") }
    publicKey = Self.text(publicText)
    self.secretKey = secretKey
  }

  /// Reads the secret key from a file that nobody else can read.
  ///
  /// - Throws: `bus.unauthorized` when the file is missing, not ours, readable by others, or holds no key.
  public init(file path: String) throws(MinervaError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      let reason = errno == ENOENT ? "there is no such key; minerva keys new NAME makes one" : String(cString: strerror(errno))
      throw MinervaError(.unauthorized, "\(path): \(reason)")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw MinervaError(.unauthorized, "\(path): a regular file is needed")
    }
    guard status.st_uid == geteuid() else {
      throw MinervaError(.unauthorized, "\(path): the file belongs to someone else; chown it to yourself")
    }
    guard status.st_mode & 0o077 == 0 else { throw MinervaError(.unauthorized, "\(path): others can read the key; chmod 0600 it") }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { throw MinervaError(.unauthorized, "\(path): the file is empty") }
    let text = String(decoding: bytes[..<count].prefix { $0 > 32 }, as: UTF8.self)
    guard Self.isKey(text) else { throw MinervaError(.unauthorized, "\(path): the first line is no key of 40 characters of Z85") }
    try self.init(secretKey: text)
  }

  /// Writes the secret key to a new file of mode 0600; an existing file is never replaced.
  ///
  /// - Throws: `file.exists`, `file.unwritable`.
  public func write(file path: String) throws(MinervaError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { throw MinervaError(.fileExists, "\(path): there is a key of that name already") }
      throw MinervaError(.fileUnwritable, "\(path): \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    let bytes = Array("\(secretKey)\n".utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw MinervaError(.fileUnwritable, "\(path): the key could not be written; check the free space")
    }
  }

  /// True for 40 characters of Z85 (ZeroMQ RFC 32).
  public static func isKey(_ text: String) -> Bool {
    text.utf8.count == textLength && text.utf8.allSatisfy { alphabet.contains($0) }
  }

  private static let alphabet = Set("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#".utf8)

  /// 32 bytes as Z85: five characters for four bytes, most significant first.
  static func z85(_ bytes: UnsafeRawBufferPointer) -> String? {
    guard bytes.count == 32 else { return nil }
    var text = [CChar](repeating: 0, count: textLength + 1)
    guard zmq_z85_encode(&text, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count) != nil else { return nil }
    return Self.text(text)
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
