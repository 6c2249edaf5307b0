import Digest
import Glibc
import RichPush
import Synchronization
import TestSupport
import Testing
import Transfer

@testable import AssetStore

/// Against a server that does what it is told.
@Suite struct S3FaultTests {
  /// A store at an origin, with the pauses that it makes.
  private func store(
    _ origin: FaultyOrigin, _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> S3Store {
    var options = StoreOptions.testing(endpoint: origin.url(""))
    change(&options)
    return try S3Store(
      try S3Location("bucket/push"), options, client: HTTPClient(), workFolder: Array("/tmp".utf8))
  }

  private static func refusal(
    _ status: Int, _ code: String, _ more: String = "", fields: [String] = []
  ) -> [FaultyOrigin.Step] {
    let document =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>\(code)</Code><Message>Not AKIA1</Message>"
      + "\(more)</Error>"
    return FaultyOrigin.response(status, fields, body: Array(document.utf8))
  }

  private static let stored = FaultyOrigin.response(200, ["ETag: \"x\""])

  private func failure(_ work: () async throws -> Void) async -> Rejection.Reason? {
    let reason = await #expect(throws: Rejection.Reason.self) { try await work() }
    #expect(reason?.code == .storeFailed && reason?.stage == .store)
    // What the server says may hold keys.
    #expect(reason?.message.contains("AKIA") == false)
    return reason
  }

  @Test("a request carries hash, checksum and signature, and a token where there is one")
  func signs() async throws {
    let origin = try FaultyOrigin { $0.method == "PUT" ? Self.stored : FaultyOrigin.response(404) }
    let store = try store(origin) {
      $0 = .testing(endpoint: origin.url(""), environment: ["AWS_SESSION_TOKEN": "token"])
    }
    let asset = try await storeAsset([1, 2, 3], as: .jpeg, in: store)
    #expect(origin.requests.map(\.method) == ["HEAD", "PUT"])
    for request in origin.requests {
      #expect(request.target == "/bucket/push/\(asset.location)")
      #expect(request["x-amz-security-token"] == "token")
      let signature = try #require(request["authorization"])
      #expect(signature.hasPrefix("AWS4-HMAC-SHA256 Credential=key/"))
      #expect(signature.contains("/us-east-1/s3/aws4_request"))
    }
    let put = try #require(origin.requests.last)
    #expect(put["x-amz-content-sha256"] == asset.sha256)
    // printf '\1\2\3' | openssl dgst -sha256 -binary | base64
    #expect(put["x-amz-checksum-sha256"] == "A5BYxvLAy0ksUzsKTRTvd8wPeKvMztUofYShogEc+4E=")
    #expect(put["content-length"] == "3" && put.body == [1, 2, 3])
    let signed = try #require(put["authorization"])
    #expect(
      signed.contains(
        "SignedHeaders=cache-control;content-type;host;x-amz-checksum-sha256;x-amz-content-sha256;x-amz-date;"
          + "x-amz-security-token,"))
  }

  @Test("an asset that is there already is not sent")
  func sendsNothingTwice() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(200, ["Content-Length: 3"]) }
    _ = try await storeAsset([1, 2, 3], as: .jpeg, in: try store(origin))
    #expect(origin.requests.map(\.method) == ["HEAD"])
  }

  @Test("who may not ask whether an asset is there sends it", arguments: [403, 404, 500, 503])
  func sendsWhenInDoubt(status: Int) async throws {
    let origin = try FaultyOrigin { $0.method == "PUT" ? Self.stored : FaultyOrigin.response(status) }
    _ = try await storeAsset([1, 2, 3], as: .jpeg, in: try store(origin))
    #expect(origin.requests.map(\.method) == ["HEAD", "PUT"])
  }

  @Test(
    "what passes is tried again with the same bytes",
    arguments: [
      (503, "SlowDown"), (500, "InternalError"), (503, "ServiceUnavailable"), (400, "RequestTimeout"),
      (409, "OperationAborted"), (400, "BadDigest"), (400, "XAmzContentSHA256Mismatch"),
    ])
  func triesAgain(status: Int, code: String) async throws {
    let origin = try FaultyOrigin { request in
      guard request.method == "PUT" else { return FaultyOrigin.response(404) }
      return request.attempt < 5 ? Self.refusal(status, code) : Self.stored
    }
    let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
    _ = try await storeAsset(content, as: .jpeg, in: try store(origin))
    let puts = origin.requests.filter { $0.method == "PUT" }
    // The first attempt counts the HEAD.
    #expect(puts.count == 4)
    #expect(puts.allSatisfy { $0.body == content })
  }

  @Test("a server that stays overloaded is named after five attempts, with longer and longer pauses")
  func givesUp() async throws {
    let origin = try FaultyOrigin { _ in Self.refusal(503, "SlowDown", fields: ["Retry-After: 2"]) }
    let pauses = Pauses()
    let store = try store(origin) { options in
      options.pause = { seconds in pauses.log.withLock { $0.append(seconds) } }
    }
    let reason = await failure { _ = try await store.storeManifest([1], id: "x") }
    #expect(reason?.permanent == false)
    #expect(
      reason?.message == "cannot write manifests/x.json in s3://bucket/push: the server has too much to do or is not"
        + " available (SlowDown) (tried 5 times); try again later, or let fewer workers run")
    let log = pauses.log.withLock { $0 }
    #expect(log.count == 4)
    for (pause, bound) in zip(log, [0.25, 0.5, 1, 2]) { #expect((2...(2 + bound)).contains(pause)) }
  }

  @Test("a connection that is cut in the middle of an upload is made again, and the whole is sent")
  func resends() async throws {
    let content = [UInt8](repeating: 7, count: 3_000_000)
    // The first request for it is the HEAD.
    let origin = try FaultyOrigin(
      taking: { $0.attempt == 2 ? 500_000 : .max },
      { request in
        guard request.method == "PUT" else { return FaultyOrigin.response(404) }
        return request.attempt == 2 ? [.reset] : Self.stored
      })
    let asset = try await storeAsset(content, as: .mpeg4, in: try store(origin))
    let puts = origin.requests.filter { $0.method == "PUT" }
    #expect(puts.count == 2 && puts.last?.body.count == content.count)
    #expect(puts.last.map { sha256(of: $0.body) } == asset.sha256)
  }

  @Test("a connection that is cut each time is named, with how far it got, and the file can be stored again")
  func reportsCut() async throws {
    let isMended = Atomic(false)
    let content = [UInt8](repeating: 7, count: 3_000_000)
    let origin = try FaultyOrigin(
      taking: { _ in isMended.load(ordering: .relaxed) ? .max : 500_000 },
      { request in
        guard request.method == "PUT" else { return FaultyOrigin.response(404) }
        return isMended.load(ordering: .relaxed) ? Self.stored : [.reset]
      })
    let store = try store(origin)
    let file = try await store.makeWorkFile()
    try fill(file, with: content)
    let reason = await failure { _ = try await store.storeAsset(file, as: .mpeg4) }
    let message = try #require(reason?.message)
    #expect(
      message.hasPrefix(
        "cannot store the video in s3://bucket/push: the connection to 127.0.0.1:\(origin.port) broke"))
    #expect(message.contains("of 3000000 bytes were sent") && message.contains("(tried 5 times); check the network"))
    isMended.store(true, ordering: .relaxed)
    #expect(try await store.storeAsset(file, as: .mpeg4).bytes == content.count)
  }

  @Test("nobody there is named with what to check")
  func reportsNobody() async throws {
    let origin = try FaultyOrigin { _ in [] }
    let port = origin.port
    origin.stop()
    let store = try store(origin)
    let reason = await failure { try await store.check() }
    #expect(
      reason?.message == "cannot keep attachments in s3://bucket/push: could not connect to 127.0.0.1:\(port):"
        + " connection refused (tried 5 times); check --store-endpoint and that the server runs")
  }

  @Test(
    "what is wrong is said with what to do about it, and not tried again",
    arguments: [
      (404, "NoSuchBucket", "", "has no bucket bucket; create it, or choose another one with --store"),
      (403, "AccessDenied", "", "access is denied (AccessDenied); allow s3:GetObject and s3:PutObject on"),
      (403, "InvalidAccessKeyId", "", "the access key is not known there (InvalidAccessKeyId); check the environment"),
      (403, "SignatureDoesNotMatch", "", "the secret key does not fit the access key (SignatureDoesNotMatch); check"),
      (400, "ExpiredToken", "", "the session token has expired or is not valid (ExpiredToken); renew the credentials"),
      (301, "PermanentRedirect", "<Region>eu-west-1</Region>", "the bucket is in the region eu-west-1, not in"),
      (
        400, "AuthorizationHeaderMalformed", "<Region>garage</Region>",
        "the bucket is in the region garage, not in us-east-1; use --store-region garage"
      ),
      (307, "TemporaryRedirect", "", "sends requests for the bucket elsewhere (TemporaryRedirect); name its own"),
      (507, "XMinioStorageFull", "", "the store is full, or the quota is used up (XMinioStorageFull); free some space"),
      (501, "NotImplemented", "", "answered with status 501 (NotImplemented); check that --store-endpoint names an S3"),
    ])
  func explains(status: Int, code: String, more: String, expected: String) async throws {
    let origin = try FaultyOrigin { _ in Self.refusal(status, code, more) }
    let store = try store(origin)
    let reason = await failure { _ = try await store.storeManifest([1], id: "x") }
    #expect(reason?.message.contains(expected) == true, "\(reason?.message ?? "")")
    #expect(reason?.permanent == false)
    #expect(origin.requests.count == 1)
  }

  @Test("the region of a bucket elsewhere is taken from the answer to HEAD too")
  func findsRegion() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(301, ["x-amz-bucket-region: eu-west-3"]) }
    let store = try store(origin)
    let reason = await failure { _ = try await store.storeManifest([1], id: "x") }
    #expect(reason?.message.hasSuffix("use --store-region eu-west-3") == true)
  }

  @Test("a clock that is wrong is told by how much")
  func measuresSkew() async throws {
    let origin = try FaultyOrigin { _ in
      Self.refusal(403, "RequestTimeTooSkewed", fields: ["Date: Sun, 06 Nov 1994 08:49:37 GMT"])
    }
    let store = try store(origin)
    let reason = await failure { _ = try await store.storeManifest([1], id: "x") }
    #expect(reason?.message.contains(" s ahead of the server's (RequestTimeTooSkewed); set it, best by NTP") == true)
    #expect(reason?.limit == 900)
    #expect((reason?.measured ?? 0) > 30 * 365 * 86_400)
  }

  @Test(
    "what answers but is no S3 server is not believed",
    arguments: [
      (FaultyOrigin.response(200, body: Array("<html>".utf8)), "answered with status 200, but not as an S3 server"),
      (FaultyOrigin.response(404, body: Array("<html>".utf8)), "answered with status 404; check that --store-endpoint"),
      (
        FaultyOrigin.response(200, ["ETag: \"x\"", "x-amz-checksum-sha256: AAAA"]),
        "stored something of another checksum than was sent"
      ),
    ])
  func distrusts(answer: [FaultyOrigin.Step], expected: String) async throws {
    let origin = try FaultyOrigin { _ in answer }
    let store = try store(origin)
    let reason = await failure { _ = try await store.storeManifest([1], id: "x") }
    #expect(reason?.message.contains(expected) == true, "\(reason?.message ?? "")")
  }

  @Test("a website's 404 does not pass for a missing manifest")
  func missesNothingOnWebsites() async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.response(404, body: Array("<html>".utf8)) }
    let store = try store(origin)
    _ = await failure { _ = try await store.manifest(id: "x") }
  }

  @Test("an asset that is too large for the server stays rejected")
  func reportsTooLarge() async throws {
    let origin = try FaultyOrigin { request in
      request.method == "PUT" ? Self.refusal(400, "EntityTooLarge") : FaultyOrigin.response(404)
    }
    let store = try store(origin)
    let reason = await failure { _ = try await storeAsset([1], as: .gif, in: store) }
    #expect(reason?.permanent == true)
  }

  @Test("a work folder that is not there is named")
  func needsWorkFolder() async throws {
    let origin = try FaultyOrigin { _ in Self.stored }
    let store = try S3Store(
      try S3Location("bucket"), .testing(endpoint: origin.url("")), client: HTTPClient(),
      workFolder: Array("/nowhere/at/all".utf8))
    let reason = await failure { _ = try await store.makeWorkFile() }
    #expect(reason?.message.hasPrefix("cannot create a work file in /nowhere/at/all: there is no such folder") == true)
  }

  @Test("cancelling ends an upload at once", .timeLimit(.minutes(2)))
  func cancels() async throws {
    let origin = try FaultyOrigin { $0.method == "PUT" ? [.stall] : FaultyOrigin.response(404) }
    let store = try store(origin)
    let upload = Task { try await storeAsset([1, 2, 3], as: .jpeg, in: store) }
    #expect(await origin.reaches { $0.requests.contains { $0.method == "PUT" } })
    upload.cancel()
    await #expect(throws: Rejection.Reason.self) { try await upload.value }
    #expect(origin.requests.count == 2)
  }
}

private final class Pauses: Sendable {
  let log = Mutex<[Double]>([])
}
