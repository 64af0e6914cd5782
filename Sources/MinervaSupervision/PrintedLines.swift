internal import CPosix

/// What a process prints with `print`.
package enum PrintedLines {
  /// Has each line leave at once and behind its time, also into a log file, where the C library would keep whole blocks back until the
  /// process ends.
  ///
  /// To be called before anything is printed.
  package static func leaveAtOnce() { cposix_print_by_line() }
}
