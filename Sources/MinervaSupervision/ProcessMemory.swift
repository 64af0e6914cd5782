import CPosix

/// How this process deals with memory that it frees.
package enum ProcessMemory {
  /// Keeps freed memory for the next message instead of giving it back to the system at once.
  ///
  /// For processes whose messages are hundreds of kilobytes long: malloc would return each one's pages when it is freed, and the next would
  /// take a page fault for every four kilobytes. Blocks of 4 MiB and more, columns of lists of a hundred thousand rows, still go back.
  package static func keepForMessages() { cposix_keep_memory(16 << 20, 4 << 20) }
}
