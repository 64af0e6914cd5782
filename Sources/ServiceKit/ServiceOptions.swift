package import CommandKit

/// The options that every service process has.
package enum ServiceOptions {
  /// Where the process belongs: `--runtime`, `--name`, and how much it says.
  package static func place(name fallback: String) -> [OptionDefinition] {
    [
      .value(
        "runtime", .directory, "the directory of sockets, locks and logs", placeholder: "DIR", environment: "MINERVA_RUNTIME"),
      .value("name", .text, "the name of this process among its peers", placeholder: "NAME", fallback: fallback),
    ]
  }

  /// How the process reaches its broker.
  package static let connection: [OptionDefinition] = [
    .value("connect", .endpoint, "the broker's endpoint; without it the one in the runtime directory", environment: "MINERVA_CONNECT"),
    .value(
      "key", .file, "the file of this process's secret key, for tcp, or its name in the runtime directory's keys", placeholder: "FILE",
      environment: "MINERVA_KEY"),
    .value("server-key", .text, "the broker's public key, for tcp", placeholder: "KEY", environment: "MINERVA_SERVER_KEY"),
    .flag("insecure", "tcp without keys, on loopback alone"),
  ]

  /// Where a host or worker takes the calls of others.
  package static let listening: [OptionDefinition] = [
    .value(
      "listen", .endpoint, "takes calls at tcp://HOST:PORT instead of a socket in the runtime directory; needs --key",
      placeholder: "ENDPOINT"
    ),
    .value("advertise", .endpoint, "where others reach it, when not where it listens", placeholder: "ENDPOINT"),
  ]
}
