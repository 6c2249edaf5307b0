import Digest
package import RichPush
package import Transfer

/// Posts callbacks as Standard Webhooks has it: JSON with the fields `webhook-id`, `webhook-timestamp` and
/// `webhook-signature`, the HMAC-SHA256 of all three.
package struct WebhookSender: CallbackSender {
  private let client: HTTPClient
  private let policy: AddressPolicy
  private let secrets: [WebhookSecret]

  /// - Parameters:
  ///   - policy: where callbacks may go. Whoever writes jobs names their URLs.
  ///   - secrets: each signs, so that receivers can change from one to the next.
  package init(client: HTTPClient, policy: AddressPolicy, secrets: [WebhookSecret]) {
    self.client = client
    self.policy = policy
    self.secrets = secrets
  }

  package func post(_ body: [UInt8], to url: String, id: String) async throws(Rejection.Reason) {
    var request = HTTPRequest(.post, url)
    request.addressPolicy = policy
    request.fields = [("Content-Type", "application/json")] + fields(of: body, id: id, at: Int(secondsSince1970()))
    request.body = .bytes(body)
    request.readsBody = false
    request.limits.totalTimeout = 15
    request.limits.stallTimeout = 15
    let response: HTTPResponse
    do throws(HTTPFailure) {
      response = try await client.send(request)
    } catch {
      throw Rejection.Reason(error)
    }
    guard !response.isSuccess else { return }
    // RFC 9110 section 15.5.11, and the standard's way for a receiver to say that it wants no more.
    let isOver = response.status == 410
    throw Rejection.Reason(
      .httpStatus, at: .fetch, "the callback was answered with status \(response.status)",
      measured: Double(response.status), permanent: isOver)
  }

  /// The fields that a receiver checks.
  func fields(of body: [UInt8], id: String, at timestamp: Int) -> [(name: String, value: String)] {
    // An id may hold what a field must not; and it is to be the same for each attempt.
    let message = "msg_" + sha256(of: id.utf8).prefix(32)
    let signatures = secrets.map { $0.signature(ofMessage: message, at: timestamp, body) }
    return [
      ("webhook-id", message), ("webhook-timestamp", "\(timestamp)"),
      ("webhook-signature", signatures.joined(separator: " ")),
    ]
  }
}

extension Rejection.Reason {
  fileprivate init(_ failure: HTTPFailure) {
    let code: Rejection.Code =
      switch failure.kind {
      case .invalidURL: .invalidJob
      case .blocked: .blockedAddress
      case .timeout: .fetchTimeout
      default: .fetchFailed
      }
    self.init(
      code, at: .fetch, failure.message, limit: failure.limit, measured: failure.measured, permanent: !failure.mayPass)
  }
}
