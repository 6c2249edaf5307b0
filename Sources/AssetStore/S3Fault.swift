import Transfer

/// Why a request to an S3 server did not do what it should.
enum S3Fault: Error, Sendable {
  case transport(HTTPFailure)
  /// The server said no. `skew` is how far this machine's clock is ahead of the server's, in seconds.
  case refused(status: Int, S3ErrorDocument?, region: String?, skew: Double?)
  /// A success that does not look like an S3 server's.
  case strange(String)

  /// - Parameter now: this machine's clock, in seconds since 1970.
  init(_ response: HTTPResponse, now: Double) {
    let document = S3ErrorDocument(response.body)
    let region = response.fields["x-amz-bucket-region"].flatMap { $0.isToken ? $0 : nil } ?? document?.region
    let skew = response.fields["date"].flatMap { seconds(ofHTTPDate: $0, now: now) }.map { now - $0 }
    self = .refused(status: response.status, document, region: region, skew: skew)
  }

  private var code: String? {
    guard case .refused(_, let document, _, _) = self else { return nil }
    return document?.code
  }

  /// Whether the same request may succeed in a moment.
  var mayPass: Bool {
    switch self {
    case .transport(let failure): return failure.mayPass
    case .strange: return false
    case .refused(let status, _, _, _):
      if let code, Self.passingCodes.contains(code) { return true }
      return (status >= 500 && status != 501 && status != 507) || status == 429 || status == 408
    }
  }

  /// 400s and 409s that are the moment's, and what came damaged.
  private static let passingCodes: Set<String> = [
    "RequestTimeout", "SlowDown", "OperationAborted", "ConditionalRequestConflict", "BadDigest",
    "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch", "IncompleteBody",
  ]

  /// Whether other credentials may help.
  var blamesCredentials: Bool {
    guard case .refused(let status, _, _, _) = self, status == 400 || status == 401 || status == 403 else {
      return false
    }
    // The answer to HEAD has no document.
    return code.map(Self.credentialCodes.contains) ?? true
  }

  private static let credentialCodes: Set<String> = [
    "ExpiredToken", "ExpiredTokenException", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId",
    "SignatureDoesNotMatch", "InvalidClientTokenId", "AccessDenied",
  ]

  /// Whether nothing is there of that name, in a bucket that is.
  var isMissingKey: Bool { code == "NoSuchKey" }
  var isAccessDenied: Bool { code == "AccessDenied" }
}
