package import CommandKit

/// The options by which every command finds its set.
package enum SetOptions {
  package static let reach: [OptionDefinition] = [
    .value("runtime", .directory, "the directory of sockets, locks and logs", environment: "MINERVA_RUNTIME"),
    .value("connect", .endpoint, "the broker's endpoint; without it the one in the runtime directory", environment: "MINERVA_CONNECT"),
    .value("key", .file, "the file of the secret key, for tcp, or its name in the runtime directory's keys", environment: "MINERVA_KEY"),
    .value("server-key", .text, "the broker's public key, for tcp", placeholder: "KEY", environment: "MINERVA_SERVER_KEY"),
    .flag("insecure", "tcp without keys, on loopback alone"),
    .flag("json", "one JSON object a line"),
  ]

  package static let scene: [OptionDefinition] = [
    .value("scene", .text, "the scene", placeholder: "NAME", fallback: "main"),
    .value("app", .text, "the app of a scene that does not exist yet", placeholder: "NAME"),
  ]
}
