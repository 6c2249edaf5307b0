import RichPush
import Transfer

extension S3Fault {
  /// What to tell people: what went wrong, and what they can do about it.
  struct Explanation {
    var cause: String
    var remedy: String
    var permanent = false
    var limit: Double?
    var measured: Double?
  }

  /// Makes a rejection.
  /// - Parameters:
  ///   - action: what could not be done, as in "cannot …": `store the image`.
  ///   - attempts: how often it was tried.
  func reason(_ action: String, in bucket: S3Bucket, credentials: String, attempts: Int) -> Rejection.Reason {
    let explanation = explanation(bucket, credentials)
    let tries = attempts > 1 ? " (tried \(attempts) times)" : ""
    return Rejection.Reason(
      .storeFailed, at: .store,
      "cannot \(action) in \(bucket.location): \(explanation.cause)\(tries); \(explanation.remedy)",
      limit: explanation.limit, measured: explanation.measured, permanent: explanation.permanent)
  }

  private func explanation(_ bucket: S3Bucket, _ credentials: String) -> Explanation {
    switch self {
    case .transport(let failure): Self.explanation(of: failure, bucket)
    case .strange(let what):
      Explanation(
        cause: "\(bucket.name) \(what)",
        remedy: "check that --store-endpoint names an S3 server, not a proxy or website")
    case .refused(let status, let document, let region, let skew):
      Self.explanation(status, document?.code, region: region, skew: skew, bucket, credentials)
    }
  }

  private static func explanation(of failure: HTTPFailure, _ bucket: S3Bucket) -> Explanation {
    let remedy =
      switch failure.kind {
      case .invalidURL: "check --store-endpoint"
      case .notResolved, .notConnected: "check --store-endpoint and that the server runs"
      case .notSecure: "check the server's certificate, or trust its authority with --ca-file"
      case .timeout, .broken, .other: "check the network and the server"
      case .blocked, .notHTTP, .tooLarge: "check that --store-endpoint names an S3 server"
      case .unreadableBody: "check this machine's disk"
      case .cancelled: "try again"
      }
    return Explanation(
      cause: failure.message, remedy: remedy, limit: failure.limit, measured: failure.measured)
  }

  /// The codes are those of Amazon's "Error responses" page (API reference), and of servers that imitate it.
  private static func explanation(
    _ status: Int, _ code: String?, region: String?, skew: Double?, _ bucket: S3Bucket, _ credentials: String
  ) -> Explanation {
    let name = bucket.location.bucket
    let named = code.map { " (\($0))" } ?? ""
    switch code {
    case "NoSuchBucket":
      return Explanation(
        cause: "\(bucket.name) has no bucket \(name)", remedy: "create it, or choose another one with --store")
    case "InvalidAccessKeyId", "InvalidClientTokenId":
      return Explanation(cause: "the access key is not known there\(named)", remedy: "check \(credentials)")
    case "SignatureDoesNotMatch":
      return Explanation(
        cause: "the secret key does not fit the access key\(named)",
        remedy: "check \(credentials); a proxy that changes requests has the same effect")
    case "ExpiredToken", "ExpiredTokenException", "InvalidToken", "TokenRefreshRequired":
      return Explanation(
        cause: "the session token has expired or is not valid\(named)",
        remedy: "renew the credentials in \(credentials)")
    case "RequestTimeTooSkewed", "RequestExpired":
      let seconds = skew.map { Int($0.magnitude.rounded()) }
      let which = seconds.map { "\($0) s \((skew ?? 0) < 0 ? "behind" : "ahead of")" } ?? "too far from"
      return Explanation(
        cause: "this machine's clock is \(which) the server's\(named)", remedy: "set it, best by NTP", limit: 900,
        measured: seconds.map(Double.init))
    case "AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect", "IllegalLocationConstraintException",
      "Redirect", "InvalidRegion":
      return elsewhere(region, code, bucket)
    case "BadDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch", "InvalidDigest", "IncompleteBody":
      return Explanation(
        cause: "other bytes arrived there than were sent\(named)",
        remedy: "look for a proxy or a network that damages them")
    case "EntityTooLarge":
      return Explanation(
        cause: "it is larger than the server takes\(named)", remedy: "raise the server's limit", permanent: true)
    case "KeyTooLongError":
      return Explanation(
        cause: "its key is longer than the server takes\(named)", remedy: "use a shorter id or prefix", permanent: true)
    case "QuotaExceeded", "XMinioStorageFull", "InsufficientStorage", "ServiceQuotaExceeded":
      return Explanation(
        cause: "the store is full, or the quota is used up\(named)",
        remedy: "free some space there, or raise the quota")
    case "AccessDenied", "AllAccessDisabled", "AccountProblem": return denied(named, bucket, credentials)
    default: break
    }
    switch status {
    case 301, 302, 307, 308: return elsewhere(region, code, bucket)
    case 401, 403: return denied(code == nil ? " (status \(status))" : named, bucket, credentials)
    case 404, 405, 501:
      return Explanation(
        cause: "\(bucket.name) answered with status \(status)\(named)",
        remedy: "check that --store-endpoint names an S3 server and --store a bucket of it")
    case 429, 503:
      return Explanation(
        cause: "the server has too much to do or is not available\(code == nil ? " (status \(status))" : named)",
        remedy: "try again later, or let fewer workers run")
    case 507: return Explanation(cause: "the store is full (status 507)", remedy: "free some space there")
    default:
      return Explanation(
        cause: "\(bucket.name) answered with status \(status)\(named)",
        remedy: status >= 500 ? "try again later, and look into the server's log" : "look into the server's log")
    }
  }

  private static func denied(_ named: String, _ bucket: S3Bucket, _ credentials: String) -> Explanation {
    Explanation(
      cause: "access is denied\(named)",
      remedy:
        "allow s3:GetObject and s3:PutObject on arn:aws:s3:::\(bucket.location.bucket)/\(bucket.location.key(of: "*"))"
        + " for the key of \(credentials)")
  }

  private static func elsewhere(_ region: String?, _ code: String?, _ bucket: S3Bucket) -> Explanation {
    if let region, region != bucket.region {
      return Explanation(
        cause: "the bucket is in the region \(region), not in \(bucket.region)", remedy: "use --store-region \(region)")
    }
    return Explanation(
      cause: "\(bucket.name) sends requests for the bucket elsewhere (\(code ?? "a redirect"))",
      remedy: "name its own --store-endpoint and --store-region")
  }
}
