import Digest
import RichPush
import Transfer

/// Sends signed requests to one bucket, again and again as long as that helps.
struct S3Client: Sendable {
  let bucket: S3Bucket
  private let credentials: AWSCredentialSource
  private let http: HTTPClient
  private let options: StoreOptions

  init(_ location: S3Location, _ options: StoreOptions, _ http: HTTPClient) throws(Rejection.Reason) {
    bucket = try S3Bucket(location, options)
    credentials = try AWSCredentialSource(options)
    self.http = http
    self.options = options
  }

  /// What is to be done with the object at a location of the store.
  struct Operation: Sendable {
    var method: HTTPRequest.Method
    var location: String
    var body = HTTPRequest.Body.none
    /// SHA-256 of the body, in lower-case hex.
    var sha256 = emptySHA256
    var fields: [(name: String, value: String)] = []
    /// How often it may be sent; nil for as often as the options say.
    var attempts: Int?
  }

  /// How an operation failed, and how often it was tried.
  struct Failure: Error {
    let fault: S3Fault
    let attempts: Int
  }

  /// Carries an operation out.
  /// - Returns: the answer, whose status is a success.
  func perform(_ operation: Operation, _ action: String) async throws(Rejection.Reason) -> HTTPResponse {
    switch try await attempt(operation) {
    case .success(let response): return response
    case .failure(let failure): throw reason(failure, action)
    }
  }

  func reason(_ failure: Failure, _ action: String) -> Rejection.Reason {
    failure.fault.reason(action, in: bucket, credentials: credentials.name, attempts: failure.attempts)
  }

  /// The same, for who wants to look at the fault.
  /// - Throws: when there are no credentials.
  func attempt(_ operation: Operation) async throws(Rejection.Reason) -> Result<HTTPResponse, Failure> {
    var attempts = 0
    var mayRenew = true
    while true {
      let key = try await credentials.current()
      attempts += 1
      var retryAfter: Double?
      let fault: S3Fault
      do throws(HTTPFailure) {
        let response = try await http.send(request(operation, key))
        if response.isSuccess { return .success(response) }
        retryAfter = response.retryAfter
        fault = S3Fault(response, now: secondsSince1970())
      } catch {
        fault = .transport(error)
      }
      if mayRenew, fault.blamesCredentials, await credentials.renew(key) {
        mayRenew = false
        continue
      }
      guard fault.mayPass, attempts < operation.attempts ?? options.attempts, !Task.isCancelled else {
        return .failure(Failure(fault: fault, attempts: attempts))
      }
      do {
        try await options.pause(options.backoff.seconds(afterAttempt: attempts, retryAfter: retryAfter))
      } catch {
        return .failure(Failure(fault: fault, attempts: attempts))
      }
    }
  }

  private func request(_ operation: Operation, _ key: AWSCredentials) -> HTTPRequest {
    var request = HTTPRequest(operation.method, bucket.url(of: operation.location))
    request.body = operation.body
    request.fields = operation.fields + [("x-amz-content-sha256", operation.sha256)]
    if let token = key.sessionToken { request.fields.append(("x-amz-security-token", token)) }
    request.signature = AWSSignature(
      accessKey: key.accessKey, secretKey: key.secretKey, region: bucket.region, service: "s3")
    request.limits = options.limits
    return request
  }
}

/// SHA-256 of nothing.
private let emptySHA256 = sha256(of: [])
