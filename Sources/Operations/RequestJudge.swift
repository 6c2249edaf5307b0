/// Decides by a request's head what may become of it, before its body is read.
struct RequestJudge: Sendable {
  enum Ruling: Sendable, Equatable {
    /// - Parameter isTrusted: whether the client may know what exactly is wrong with the service.
    case admitted(Route, isTrusted: Bool)
    case refused(Answer)
  }

  /// Who may add jobs, and ask about them.
  enum JobAccess: Sendable, Equatable {
    /// Whoever is on this machine.
    case thisMachine
    case tokens([BearerToken])
    case nobody
  }

  let access: JobAccess
  let maximumBodyBytes: Int

  init(_ configuration: OperationsConfiguration) {
    maximumBodyBytes = configuration.maximumBodyBytes
    if !configuration.tokens.isEmpty {
      access = .tokens(configuration.tokens)
    } else {
      access = configuration.address.isLoopback ? .thisMachine : .nobody
    }
  }

  func ruling(on head: RequestHead) -> Ruling {
    if let fault = head.framingFault { return .refused(.fault(400, "bad_request", fault)) }
    guard let path = head.target.path else {
      return .refused(
        .fault(
          400, "bad_request",
          "the path is broken: ids in it are UTF-8 without NUL, what is not plain as % and two hexadecimal digits"))
    }
    guard let route = Route(path: path) else {
      return .refused(
        .fault(404, "not_found", "there is only /healthz, /readyz, /metrics, /v1/jobs and /v1/jobs/{id}"))
    }
    guard route.methods.contains(head.method) else {
      let allowed = route.methods.joined(separator: ", ")
      return .refused(
        .fault(405, "method_not_allowed", "the methods allowed here are \(allowed)", fields: ["Allow": allowed]))
    }
    if route.isAboutJobs, let refusal = refusal(of: head) { return .refused(refusal) }
    if case .job(let id) = route, id.utf8.count > 512 {
      return .refused(.fault(404, "not_found", "the id has \(id.utf8.count) bytes; no job's has more than 512"))
    }
    if route == .submission, let fault = bodyFault(of: head) { return .refused(fault) }
    if route != .submission, head.hasBody { return .refused(.fault(400, "bad_request", "a body has no place here")) }
    return .admitted(route, isTrusted: isTrusted(head))
  }

  private func isTrusted(_ head: RequestHead) -> Bool {
    switch access {
    case .thisMachine: true
    case .tokens(let tokens): head.bearerToken.map { token in tokens.count { $0.matches(token) } > 0 } ?? false
    case .nobody: false
    }
  }

  private func refusal(of head: RequestHead) -> Answer? {
    switch access {
    case .thisMachine:
      guard !head.isFromThisMachine else { return nil }
      return .fault(
        403, "forbidden",
        "without a token, jobs are only taken from programs on this machine, by its name localhost or 127.0.0.1")
    case .tokens:
      guard !isTrusted(head) else { return nil }
      // RFC 6750 section 3: no error code where no token was brought.
      let challenge = head.bearerToken == nil ? "" : ", error=\"invalid_token\""
      return .fault(
        401, "unauthorized", "jobs need the header Authorization: Bearer, with a token that is accepted here",
        fields: ["WWW-Authenticate": "Bearer realm=\"enclosure\"\(challenge)"])
    case .nobody:
      return .fault(
        403, "forbidden", "no token was set for this endpoint, so beyond loopback it does not take jobs")
    }
  }

  private func bodyFault(of head: RequestHead) -> Answer? {
    guard head.contentType == "application/json" else {
      return .fault(415, "unsupported_media_type", "a job is sent with Content-Type: application/json")
    }
    if let coding = head["content-encoding"], coding.lowercased() != "identity" {
      return .fault(415, "unsupported_media_type", "a job is sent without Content-Encoding")
    }
    guard head.hasBody else { return .fault(400, "bad_request", "there is no body; it has to be the job's document") }
    // A length that is no number, or more than fits one, was refused before.
    if head["content-length"] != nil, (head.declaredLength ?? .max) > maximumBodyBytes {
      return .bodyTooLarge(limit: maximumBodyBytes)
    }
    return nil
  }
}
