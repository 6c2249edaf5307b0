import CNATS
import Glibc

/// The library's options for a connection. Freed with this.
final class NATSConnectOptions {
  private let handle: OpaquePointer

  /// - Parameter key: comes back to the functions that the library calls, as their context.
  init(_ address: NATSAddress, _ options: NATSOptions, key: UInt) throws(QueueFailure) {
    var created: OpaquePointer?
    guard natsOptions_Create(&created) == NATS_OK, let created else {
      throw .unavailable("there is no memory left for a connection to NATS")
    }
    handle = created
    try apply(address, options, key: key)
  }

  deinit {
    natsOptions_Destroy(handle)
  }

  private func apply(_ address: NATSAddress, _ options: NATSOptions, key: UInt) throws(QueueFailure) {
    let servers = address.servers.map { strdup($0) }
    defer {
      for server in servers { free(server) }
    }
    var pointers = servers.map { UnsafePointer<CChar>($0) }
    try check(natsOptions_SetServers(handle, &pointers, Int32(pointers.count)), "the servers in the queue's URL")
    natsOptions_SetName(handle, "enclosure")
    natsOptions_SetTimeout(handle, 3_000)
    // For ever: a queue that is gone for a night is there in the morning.
    natsOptions_SetMaxReconnect(handle, -1)
    natsOptions_SetReconnectWait(handle, 200)
    natsOptions_SetReconnectJitter(handle, 100, 300)
    // A server that vanished without a word is noticed after 5 to 10 s.
    natsOptions_SetPingInterval(handle, 5_000)
    natsOptions_SetMaxPingsOut(handle, 1)
    natsOptions_SetWriteDeadline(handle, 5_000)

    let context = UnsafeMutableRawPointer(bitPattern: key)
    natsOptions_SetDisconnectedCB(handle, connectionWasLost, context)
    natsOptions_SetReconnectedCB(handle, connectionIsBack, context)
    natsOptions_SetClosedCB(handle, connectionWasClosed, context)
    // Without one the library prints what went wrong.
    natsOptions_SetErrorHandler(handle, errorHappened, context)
    try secure(address, options.tls)
    try identify(address.credentials == .none ? options.credentials : address.credentials)
  }

  private func secure(_ address: NATSAddress, _ tls: NATSSecurity) throws(QueueFailure) {
    if address.isSecure { natsOptions_SetSecure(handle, true) }
    if let file = tls.authorityFile {
      try check(natsOptions_LoadCATrustedCertificates(handle, file), "the authorities in \(file)")
    }
    if let certificate = tls.certificateFile, let key = tls.keyFile {
      try check(
        natsOptions_LoadCertificatesChain(handle, certificate, key), "the certificate in \(certificate) with \(key)")
    }
  }

  private func identify(_ credentials: NATSCredentials) throws(QueueFailure) {
    switch credentials {
    case .none: break
    case .user(let user, let password):
      try check(natsOptions_SetUserInfo(handle, user, password), "the user's name and password")
    case .token(let token): try check(natsOptions_SetToken(handle, token), "the token")
    case .file(let path):
      guard access(path, R_OK) == 0 else { throw Self.unreadable(path) }
      try check(natsOptions_SetUserCredentialsFromFiles(handle, path, nil), "the credentials in \(path)")
    case .nkeySeedFile(let path):
      guard access(path, R_OK) == 0 else { throw Self.unreadable(path) }
      let key = try NATSKey.publicKey(ofSeedIn: path)
      try check(natsOptions_SetNKeyFromSeed(handle, key, path), "the NKey in \(path)")
    }
  }

  private static func unreadable(_ path: String) -> QueueFailure {
    .unusable("the NATS credentials in \(path) cannot be read: \(String(cString: strerror(errno)))")
  }

  private func check(_ status: natsStatus, _ what: String) throws(QueueFailure) {
    guard status != NATS_OK else { return }
    throw .unusable("\(what) cannot be used for NATS: \(NATSFailure.lastError(status))")
  }

  /// Connects, which takes up to some seconds for each server.
  func connect() throws(QueueFailure) -> OpaquePointer {
    var connection: OpaquePointer?
    let status = natsConnection_Connect(&connection, handle)
    if status == NATS_OK, let connection { return connection }
    throw NATSFailure.connecting(status)
  }
}

/// What the library's statuses mean to the queue.
enum NATSFailure {
  static func text(_ status: natsStatus) -> String {
    natsStatus_GetText(status).map { String(cString: $0) } ?? "status \(status.rawValue)"
  }

  static func connecting(_ status: natsStatus) -> QueueFailure {
    switch status {
    case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED:
      .unusable("the NATS server refuses the credentials")
    case NATS_SECURE_CONNECTION_WANTED:
      .unusable("the NATS server offers no TLS, which tls:// asks for")
    case NATS_SECURE_CONNECTION_REQUIRED:
      .unusable("the NATS server asks for TLS; name it as tls://…")
    case NATS_SSL_ERROR:
      .unusable("no TLS connection to the NATS server can be made: \(lastError(status))")
    case NATS_NO_SERVER, NATS_TIMEOUT, NATS_IO_ERROR, NATS_CONNECTION_CLOSED, NATS_CONNECTION_DISCONNECTED,
      NATS_STALE_CONNECTION:
      .unavailable("no NATS server can be reached: \(lastError(status))")
    default:
      .unavailable("no connection to NATS can be made: \(lastError(status))")
    }
  }

  /// The library's own words, for the thread that called it. They hold no credentials.
  static func lastError(_ status: natsStatus) -> String {
    let detail = nats_GetLastError(nil).map { words(of: String(cString: $0)) } ?? ""
    return detail.isEmpty ? text(status) : detail
  }

  /// A text of the library's without what is for those who work on it: the places in its source, `(conn.c:2088): `.
  static func words(of text: String) -> String {
    let lines = text.replacing(/\([^\s():]+\.[ch]:[0-9]+\):?\s*/, with: "").split(whereSeparator: \.isNewline)
    return lines.joined(separator: " ")
  }
}

// C calls these on the library's threads. The context is the client's number, not a pointer: a client may be gone.

private func number(_ context: UnsafeMutableRawPointer?) -> UInt { UInt(bitPattern: context) }

private func connectionWasLost(_: OpaquePointer?, _ context: UnsafeMutableRawPointer?) {
  NATSClient.find(number(context))?.noteConnection(.lost)
}

private func connectionIsBack(_: OpaquePointer?, _ context: UnsafeMutableRawPointer?) {
  NATSClient.find(number(context))?.noteConnection(.made)
}

private func connectionWasClosed(_: OpaquePointer?, _ context: UnsafeMutableRawPointer?) {
  NATSClient.find(number(context))?.noteConnection(.closed)
}

private func errorHappened(
  _ connection: OpaquePointer?, _: OpaquePointer?, _ status: natsStatus, _ context: UnsafeMutableRawPointer?
) {
  var text: UnsafePointer<CChar>?
  guard status == NATS_NOT_PERMITTED, let connection else { return }
  _ = natsConnection_GetLastError(connection, &text)
  if let text { NATSClient.find(number(context))?.noteRefusal(NATSFailure.words(of: String(cString: text))) }
}
