import CPosix
import Glibc
import MinervaWire

/// The file system of a directory: its name, and whether what is synced there survives a crash.
struct FileSystem: Hashable, Sendable {
  var name: String
  /// False for file systems in memory: a sync returns there and promises nothing.
  var isDurable: Bool

  init(name: String, isDurable: Bool) {
    self.name = name
    self.isDurable = isDurable
  }

  /// Asks the system.
  ///
  /// - Throws: `runtime.file` when the directory cannot be looked at.
  init(of path: String) throws(MinervaError) {
    let magic = cposix_file_system(path)
    guard magic >= 0 else {
      throw MinervaError(.runtimeFile, "cannot look at the file system of \(path): \(String(cString: strerror(errno)))")
    }
    self.init(magic: UInt64(magic))
  }

  /// Names the file system of a magic number (`statfs(2)`); an unknown one counts as durable only if nothing speaks against it.
  init(magic: UInt64) {
    switch magic {
    case 0xEF53: self.init(name: "ext4", isDurable: true)
    case 0x5846_5342: self.init(name: "xfs", isDurable: true)
    case 0x9123_683E: self.init(name: "btrfs", isDurable: true)
    case 0x2FC1_2FC1: self.init(name: "zfs", isDurable: true)
    case 0xF2F5_2010: self.init(name: "f2fs", isDurable: true)
    case 0xCA45_1A4E: self.init(name: "bcachefs", isDurable: true)
    case 0x794C_7630: self.init(name: "overlayfs", isDurable: true)
    case 0x6969: self.init(name: "nfs", isDurable: true)
    case 0x6573_5546: self.init(name: "fuse", isDurable: false)
    case 0x0102_1994: self.init(name: "tmpfs", isDurable: false)
    case 0x8584_58F6: self.init(name: "ramfs", isDurable: false)
    case 0x9584_58F6: self.init(name: "hugetlbfs", isDurable: false)
    default: self.init(name: "0x" + String(magic, radix: 16), isDurable: false)
    }
  }
}
