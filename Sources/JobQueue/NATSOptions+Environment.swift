extension NATSOptions {
  /// The variables that say how to reach NATS, each for the option of the same name.
  package static let variables = [
    "ENCLOSURE_NATS_REPLICAS", "ENCLOSURE_NATS_CREDS", "ENCLOSURE_NATS_NKEY", "ENCLOSURE_NATS_USER",
    "ENCLOSURE_NATS_PASSWORD", "ENCLOSURE_NATS_TOKEN", "ENCLOSURE_NATS_CA_FILE", "ENCLOSURE_NATS_CERT_FILE",
    "ENCLOSURE_NATS_KEY_FILE", "ENCLOSURE_NATS_INBOX_PREFIX",
  ]

  /// Takes what the environment says.
  /// - Throws: `unusable`, when it contradicts itself.
  package init(environment: [String: String]) throws(QueueFailure) {
    self.init()
    func value(_ name: String) -> String? {
      environment["ENCLOSURE_NATS_\(name)"].flatMap { $0.isEmpty ? nil : $0 }
    }
    if let text = value("REPLICAS") {
      guard let number = Int(text), [1, 3, 5].contains(number) else {
        throw .unusable("ENCLOSURE_NATS_REPLICAS is “\(text)”; jobs can be kept on 1, 3 or 5 servers")
      }
      replicas = number
    }
    credentials = try Self.credentials(value)
    tls.authorityFile = value("CA_FILE")
    tls.certificateFile = value("CERT_FILE")
    tls.keyFile = value("KEY_FILE")
    if let prefix = value("INBOX_PREFIX") { inboxPrefix = prefix }
    try check()
  }

  private static func credentials(_ value: (String) -> String?) throws(QueueFailure) -> NATSCredentials {
    var given: [(name: String, credentials: NATSCredentials)] = []
    if let path = value("CREDS") { given.append(("CREDS", .file(path))) }
    if let path = value("NKEY") { given.append(("NKEY", .nkeySeedFile(path))) }
    if let token = value("TOKEN") { given.append(("TOKEN", .token(token))) }
    switch (value("USER"), value("PASSWORD")) {
    case (let user?, let password?): given.append(("USER", .user(user, password: password)))
    case (nil, nil): break
    case (_?, nil): throw .unusable("ENCLOSURE_NATS_USER is given without ENCLOSURE_NATS_PASSWORD")
    case (nil, _?): throw .unusable("ENCLOSURE_NATS_PASSWORD is given without ENCLOSURE_NATS_USER")
    }
    guard given.count <= 1 else {
      let names = given.map { "ENCLOSURE_NATS_\($0.name)" }.joined(separator: " and ")
      throw .unusable("\(names) are given; one kind of credentials is enough")
    }
    return given.first?.credentials ?? .none
  }

  func check() throws(QueueFailure) {
    guard [1, 3, 5].contains(replicas) else {
      throw .unusable("jobs can be kept on 1, 3 or 5 NATS servers, not on \(replicas)")
    }
    guard (tls.certificateFile == nil) == (tls.keyFile == nil) else {
      throw .unusable("a client certificate for NATS needs its key as well, and a key its certificate")
    }
    guard ackWaitSeconds >= 0.1, ackWaitSeconds.isFinite else {
      throw .unusable("NATS cannot wait \(ackWaitSeconds) s for a sign of life; at least 0.1 s")
    }
    let prefix = inboxPrefix.utf8
    guard !prefix.isEmpty, prefix.allSatisfy(NATSNames.isPlain), prefix.first != UInt8(ascii: "."),
      prefix.last != UInt8(ascii: ".")
    else { throw .unusable("“\(inboxPrefix)” cannot begin a NATS subject") }
  }
}
