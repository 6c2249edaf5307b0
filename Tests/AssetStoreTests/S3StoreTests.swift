import AssetStore
import Digest
import Glibc
import RichPush
import TestSupport
import Testing
import Transfer

/// Against real servers.
@Suite(.enabled(if: S3Server.isInstalled, "make setup-tests installs the servers"))
struct S3StoreTests {
  @Test("a bucket is a store", arguments: S3Server.Kind.allCases, AssetStoreConformance.allCases)
  func conforms(_ kind: S3Server.Kind, _ conformance: AssetStoreConformance) async throws {
    let bench = try await S3Bench(kind)
    try await conformance.check(
      StoreUnderTest(
        store: try bench.store(), content: { try await bench.content($0) },
        locations: { try await bench.locations(below: $0) }))
  }

  @Test("the whole bucket can be a store", arguments: S3Server.Kind.allCases)
  func usesWholeBucket(_ kind: S3Server.Kind) async throws {
    let bench = try await S3Bench(kind)
    let store = try S3Store(
      try S3Location(bench.server.bucket), bench.options(), client: bench.client, workFolder: Array("/tmp".utf8))
    let asset = try await storeAsset(Array(bench.prefix.utf8), as: .png, in: store)
    #expect(await store.hasAsset(at: asset.location, bytes: asset.bytes))
  }

  @Test("objects are served as what they are, assets for ever and manifests for now", arguments: S3Server.Kind.allCases)
  func describesObjects(_ kind: S3Server.Kind) async throws {
    let bench = try await S3Bench(kind)
    let store = try bench.store()
    let asset = try await storeAsset([1, 2, 3], as: .mpeg4Audio, in: store)
    let manifest = try await store.storeManifest([1], id: "a/b")
    let served = try await bench.response(.head, asset.location)
    #expect(served.fields["content-type"] == "audio/mp4")
    #expect(served.fields["cache-control"] == "public, max-age=31536000, immutable")
    let document = try await bench.response(.head, manifest)
    #expect(document.fields["content-type"] == "application/json")
    #expect(document.fields["cache-control"] == "no-cache")
  }

  @Test("an asset that was damaged in length is replaced", arguments: S3Server.Kind.allCases)
  func replacesDamagedAsset(_ kind: S3Server.Kind) async throws {
    let bench = try await S3Bench(kind)
    let store = try bench.store()
    let asset = try await storeAsset([1, 2, 3], as: .jpeg, in: store)
    try await bench.overwrite(asset.location, with: [1])
    #expect(await !store.hasAsset(at: asset.location, bytes: 3))
    _ = try await storeAsset([1, 2, 3], as: .jpeg, in: store)
    #expect(try await bench.content(asset.location) == [1, 2, 3])
  }

  @Test("a server refuses other bytes than were announced, whichever hash tells")
  func refusesDamage() async throws {
    let bench = try await S3Bench(.swift)
    let right = (hash: sha256(of: [1, 2, 3]), checksum: "A5BYxvLAy0ksUzsKTRTvd8wPeKvMztUofYShogEc+4E=")
    let wrong = (hash: sha256(of: [9]), checksum: "K0w0L1Qz6+WRodp34BPRtyR1Vi1IV43Ki4S6xmUcPLk=")
    for (hash, checksum) in [(wrong.hash, right.checksum), (right.hash, wrong.checksum)] {
      let response = try await bench.put([1, 2, 3], at: "x", signedHash: hash, checksum: checksum)
      #expect(response.status == 400, "\(String(decoding: response.body, as: UTF8.self))")
    }
    #expect(try await bench.content("x") == nil)
    let response = try await bench.put([1, 2, 3], at: "x", signedHash: right.hash, checksum: right.checksum)
    #expect(response.status == 200)
    #expect(try await bench.content("x") == [1, 2, 3])
  }

  @Test("a store that is there is found in order", arguments: S3Server.Kind.allCases)
  func checks(_ kind: S3Server.Kind) async throws {
    let bench = try await S3Bench(kind)
    try await bench.store().check()
    #expect(try await bench.content(".enclosure-check") == nil)
  }

  @Test("a store that can be written to is found so by writing", arguments: S3Server.Kind.allCases)
  func checksWriting(_ kind: S3Server.Kind) async throws {
    let bench = try await S3Bench(kind)
    let store = try bench.store()
    for _ in 1...2 {
      try await store.checkWriting()
      try await store.check()
    }
    #expect(try await bench.content(".enclosure-check")?.isEmpty == false)
  }

  @Test("a bucket that is not there is named", arguments: S3Server.Kind.allCases)
  func missesBucket(_ kind: S3Server.Kind) async throws {
    let bench = try await S3Bench(kind)
    let store = try bench.store(bucket: "no-such-bucket")
    let prefix = bench.prefix
    let checked = await #expect(throws: Rejection.Reason.self) { try await store.check() }
    let stored = await #expect(throws: Rejection.Reason.self) { try await store.storeManifest([1], id: "x") }
    for (reason, action) in [(checked, "keep attachments"), (stored, "write manifests/x.json")] {
      #expect(reason?.code == .storeFailed)
      #expect(reason?.permanent == false)
      #expect(
        reason?.message == "cannot \(action) in s3://no-such-bucket/\(prefix): 127.0.0.1:\(bench.server.port)"
          + " has no bucket no-such-bucket; create it, or choose another one with --store")
    }
    #expect(await !store.hasAsset(at: "assets/00/\(String(repeating: "0", count: 64)).jpg", bytes: 1))
  }

  @Test("a wrong secret is refused, and says which to check", arguments: S3Server.Kind.allCases)
  func refusesWrongSecret(_ kind: S3Server.Kind) async throws {
    let bench = try await S3Bench(kind)
    let wrong = bench.options().with(secretKey: "wrong", accessKey: bench.server.writer.accessKey)
    let store = try bench.store { $0 = wrong }
    for work in [{ try await store.check() }, { _ = try await store.storeManifest([1], id: "x") }] {
      let reason = await #expect(throws: Rejection.Reason.self) { try await work() }
      #expect(reason?.message.contains("the secret key does not fit the access key (SignatureDoesNotMatch)") == true)
      #expect(reason?.message.contains("check the environment (AWS_ACCESS_KEY_ID …)") == true)
      #expect(reason?.message.contains("wrong") == false)
    }
  }

  @Test("a key that nobody knows is refused")
  func refusesUnknownKey() async throws {
    let bench = try await S3Bench(.moto)
    let store = try bench.store { $0 = bench.options().with(secretKey: "wrong", accessKey: "unknown") }
    let reason = await #expect(throws: Rejection.Reason.self) { try await store.storeManifest([1], id: "x") }
    #expect(reason?.message.contains("the access key is not known there (InvalidAccessKeyId)") == true)
  }

  @Test("who may not write is told what to allow, and may read")
  func reportsMissingPermission() async throws {
    let bench = try await S3Bench(.moto)
    _ = try await bench.store().storeManifest([1, 2], id: "x")
    let store = try bench.store(bench.server.reader)
    try await store.check()
    let checked = await #expect(throws: Rejection.Reason.self) { try await store.checkWriting() }
    let denied = "cannot keep attachments in s3://bucket/\(bench.prefix): access is denied"
    #expect(checked?.message.hasPrefix(denied) == true)
    #expect(try await store.manifest(id: "x") == [1, 2])
    let reason = await #expect(throws: Rejection.Reason.self) { try await storeAsset([1], as: .gif, in: store) }
    #expect(
      reason?.message == "cannot store the image in s3://bucket/\(bench.prefix): access is denied (AccessDenied); allow"
        + " s3:GetObject and s3:PutObject on arn:aws:s3:::bucket/\(bench.prefix)/* for the key of the environment"
        + " (AWS_ACCESS_KEY_ID …)")
  }

  @Test("many assets are stored at the same time on few connections", arguments: S3Server.Kind.allCases)
  func storesMany(_ kind: S3Server.Kind) async throws {
    let bench = try await S3Bench(kind)
    let store = try bench.store()
    try await withThrowingTaskGroup(of: StoredAsset.self) { group in
      for number in 0..<100 {
        group.addTask { try await storeAsset(Array("\(number)".utf8), as: .jpeg, in: store) }
      }
      for try await asset in group { #expect(await store.hasAsset(at: asset.location, bytes: asset.bytes)) }
    }
    #expect(try await bench.locations(below: "assets").count == 100)
  }
}

extension StoreOptions {
  /// Other credentials in the environment.
  func with(secretKey: String, accessKey: String) -> StoreOptions {
    .testing(endpoint: endpoint ?? "", accessKey: accessKey, secretKey: secretKey)
  }
}
