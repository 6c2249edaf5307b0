/// One HTTP request that is no download: an upload to a store, a callback.
package struct HTTPRequest: Sendable {
  package enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case put = "PUT"
    case post = "POST"
  }

  /// What a PUT or POST sends.
  package enum Body: Sendable {
    case none
    case bytes([UInt8])
    /// The first `bytes` of a file. The descriptor is the caller's, who keeps it open until the request has ended; its
    /// position is neither used nor moved, so that the same body can be sent again.
    case file(descriptor: Int32, bytes: Int)

    var count: Int {
      switch self {
      case .none: 0
      case .bytes(let bytes): bytes.count
      case .file(_, let bytes): bytes
      }
    }
  }

  package var method: Method
  /// http or https; user info in it is sent as basic authorisation, unless there is a signature.
  package var url: String
  /// Header fields, each name once. None of them is left empty: libcurl would leave it out.
  package var fields: [(name: String, value: String)] = []
  package var body: Body = .none
  /// Signs the request; the body's hash has to be among the fields.
  package var signature: AWSSignature?
  /// Where the request may go: nil for anywhere, which is right for what the operator names. What strangers name needs
  /// a policy.
  package var addressPolicy: AddressPolicy?
  package var limits = HTTPLimits()
  /// Whether the body of an answer is of interest. Where it is not, what comes of it decides nothing, and the status is
  /// the answer.
  package var readsBody = true

  package init(_ method: Method, _ url: String) {
    self.method = method
    self.url = url
  }
}

/// What one request may cost. Times are in seconds, sizes in bytes.
package struct HTTPLimits: Sendable, Equatable {
  /// For looking up the name, connecting, and the TLS handshake together.
  package var connectTimeout = 5.0
  /// A transfer that stays below this many bytes per second, in both directions together, for `stallTimeout` has
  /// stalled. Waiting for the answer counts too.
  package var stallBytesPerSecond = 1000
  /// In whole seconds: libcurl measures no finer.
  package var stallTimeout = 20
  /// For the whole request; time spent waiting for a free place does not count.
  package var totalTimeout = 300.0
  /// The largest response header, all lines together.
  package var maximumHeaderBytes = 64 * 1024
  /// The largest body of a response.
  package var maximumResponseBytes = 1 << 20
  /// How many requests with this setting may run at the same time at one host.
  package var concurrentPerHost = 8

  package init() {}
}

/// Signs a request by AWS Signature Version 4, header fields and path included. libcurl computes it.
///
/// What libcurl 7.88 asks of a request (lib/http_aws_sigv4.c): it signs all fields that are set, in the order of their
/// names with the values, so none may be empty or come twice, and no name may begin with another one; path and query as
/// they stand in the URL, so they have to be encoded in the canonical way, and a query sorted; and the hash that the
/// field `x-amz-content-sha256` names, which it neither computes nor sends by itself for a file.
package struct AWSSignature: Sendable, Equatable {
  package var accessKey: String
  package var secretKey: String
  /// Like `eu-central-1`; at most 64 bytes, without a colon or white space.
  package var region: String
  /// Like `s3`; the same.
  package var service: String

  package init(accessKey: String, secretKey: String, region: String, service: String) {
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.region = region
    self.service = service
  }

  /// For CURLOPT_AWS_SIGV4.
  var option: String { "aws:amz:\(region):\(service)" }
}

/// The answer to a request, whatever its status.
package struct HTTPResponse: Sendable, Equatable {
  package var status: Int
  /// The fields of the final response: names in lower case, the values of a name that comes again joined by commas.
  package var fields: [String: String]
  /// Where the status is no success, as much of it as the limits allow.
  package var body: [UInt8]
  package var timings: TransferTimings

  package var isSuccess: Bool { Transfer.isSuccess(status) }

  /// Seconds, when the server asks for a pause in the form of a number.
  package var retryAfter: Double? {
    fields["retry-after"].flatMap { Double($0) }.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
  }
}

/// There was no answer to a request, or not a whole one.
package struct HTTPFailure: Error, Sendable, Equatable {
  package enum Kind: String, Sendable {
    /// The URL is none that could be asked for.
    case invalidURL
    /// `HTTPRequest.addressPolicy` forbids the address.
    case blocked
    case notResolved
    case notConnected
    /// No secure connection: the certificate, or TLS itself.
    case notSecure
    case timeout
    /// The connection broke on the way.
    case broken
    /// The answer is larger than the limits allow.
    case tooLarge
    /// The answer is no HTTP.
    case notHTTP
    /// The body's file could not be read.
    case unreadableBody
    case cancelled
    case other
  }

  package var kind: Kind
  /// A sentence for people, without secrets and without what the URL holds behind its host.
  package var message: String
  /// Whether the same request, sent again in a while, may be answered.
  package var mayPass: Bool
  package var limit: Double?
  package var measured: Double?

  init(_ kind: Kind, _ message: String, mayPass: Bool, limit: Double? = nil, measured: Double? = nil) {
    self.kind = kind
    self.message = message
    self.mayPass = mayPass
    self.limit = limit
    self.measured = measured
  }
}
