/// How to reach NATS servers, and how much they keep.
package struct NATSOptions: Sendable {
  /// On how many servers of the cluster each job is kept: 1, 3 or 5. Counts when the queue is created; an existing one
  /// stays as it is.
  package var replicas = 1
  /// For how long a job that has been handed out and of which nothing is heard stays away, in seconds. Leases of just
  /// that length cost no message of their own. Counts when the queue is created.
  package var ackWaitSeconds = 10.0
  package var credentials = NATSCredentials.none
  package var tls = NATSSecurity()
  /// How long a call goes on trying while no server answers, in seconds, before it fails as unavailable.
  package var patienceSeconds = 5.0
  /// What the subjects of answers begin with, for accounts that may listen to some only.
  package var inboxPrefix = "_INBOX"

  package init() {}
}

/// What a client shows to be let in. Never appears in messages.
package enum NATSCredentials: Sendable, Equatable {
  case none
  case user(String, password: String)
  case token(String)
  /// A file with a user's JWT and seed, as `nsc generate creds` writes it; read again for every connection.
  case file(String)
  /// A file with the seed of an NKey, `SU…`; read again for every connection.
  case nkeySeedFile(String)
}

/// TLS beyond what the servers ask for by themselves.
package struct NATSSecurity: Sendable, Equatable {
  /// The authorities to trust in place of the system's, a PEM file.
  package var authorityFile: String?
  /// The client's own certificate and its key, PEM files; both or none.
  package var certificateFile: String?
  package var keyFile: String?

  package init() {}
}
