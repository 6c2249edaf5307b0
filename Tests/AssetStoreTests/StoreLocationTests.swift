import RichPush
import Testing

@testable import AssetStore

@Suite struct StoreLocationTests {
  @Test(
    "a location is a folder unless it has a scheme",
    arguments: ["out", "/var/lib/media", "./s3:/x", "a:b", ".", "é"])
  func readsFolders(text: String) throws {
    #expect(try StoreLocation(Array(text.utf8)) == .directory(Array(text.utf8)))
  }

  @Test("a folder's name may be any bytes, and a file URL names one")
  func readsBytes() throws {
    #expect(try StoreLocation([0xFF, 0x2F]) == .directory([0xFF, 0x2F]))
    #expect(try StoreLocation(Array("file:///srv/x".utf8)) == .directory(Array("/srv/x".utf8)))
  }

  @Test(
    "s3://BUCKET/PREFIX is a part of a bucket",
    arguments: [
      ("s3://bucket", "bucket", "", "s3://bucket"), ("s3://bucket/", "bucket", "", "s3://bucket"),
      ("S3://my.bucket-1/push", "my.bucket-1", "push", "s3://my.bucket-1/push"),
      ("s3://Old_Bucket/a/b%41/ü d/", "Old_Bucket", "a/b%41/ü d", "s3://Old_Bucket/a/b%41/ü d"),
    ])
  func readsBuckets(text: String, bucket: String, prefix: String, description: String) throws {
    guard case .s3(let location) = try StoreLocation(Array(text.utf8)) else { throw S3Expected() }
    #expect(location.bucket == bucket && location.prefix == prefix && location.description == description)
  }

  private struct S3Expected: Error {}

  @Test(
    "what cannot be a store is refused with what is wrong",
    arguments: [
      ("", "is empty"), ("http://example.com", "has the scheme http; stores are folders and s3://BUCKET/PREFIX"),
      ("C://", "has the scheme c"), ("s3://", "has no proper bucket name"), ("s3:///x", "has no proper bucket name"),
      ("s3://ab", "has no proper bucket name"), ("s3://a..b", "has no proper bucket name"),
      ("s3://user@bucket", "has no proper bucket name"), ("s3://bucket/a//b", "has an empty part, . or .."),
      ("s3://bucket/../x", "has an empty part, . or .."), ("s3://bucket/x?region=y", "options have flags of their own"),
      ("s3://bucket/\(String(repeating: "x", count: 800))", "has a prefix of 800 bytes; at most 768"),
      ("file://host/x", "names no folder of this machine"),
    ])
  func refuses(text: String, expected: String) {
    let malformed = #expect(throws: StoreLocation.Malformed.self) { try StoreLocation(Array(text.utf8)) }
    #expect(malformed?.sentence.contains(expected) == true, "\(malformed?.sentence ?? "")")
  }

  private func url(
    _ location: String, of store: String = "bucket/push", environment: [String: String] = [:],
    _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> String {
    var options = StoreOptions()
    options.variable = { environment[$0] }
    change(&options)
    return try S3Bucket(try S3Location(store), options).url(of: location)
  }

  @Test("a key's URL is on the server that options or environment name, in the way that suits")
  func makesURLs() throws {
    #expect(try url("a.jpg") == "https://bucket.s3.us-east-1.amazonaws.com/push/a.jpg")
    #expect(
      try url("a.jpg", environment: ["AWS_REGION": "eu-north-1"])
        == "https://bucket.s3.eu-north-1.amazonaws.com/push/a.jpg")
    #expect(
      try url("a.jpg", environment: ["AWS_REGION": "x"]) { $0.region = "cn-north-1" }
        == "https://bucket.s3.cn-north-1.amazonaws.com.cn/push/a.jpg")
    #expect(try url("a.jpg", of: "my.bucket") == "https://s3.us-east-1.amazonaws.com/my.bucket/a.jpg")
    #expect(try url("a.jpg", of: "Bucket") == "https://s3.us-east-1.amazonaws.com/Bucket/a.jpg")
    #expect(
      try url("a.jpg", environment: ["AWS_ENDPOINT_URL": "http://127.0.0.1:9000/"])
        == "http://127.0.0.1:9000/bucket/push/a.jpg")
    #expect(
      try url("a.jpg") {
        $0.endpoint = "https://storage.example.com"
        $0.addressing = .host
      } == "https://bucket.storage.example.com/push/a.jpg")
  }

  @Test("a key is encoded once, byte by byte, as signatures want it")
  func encodesKeys() throws {
    #expect(
      try url("manifests/a%2Fb.json", of: "bucket/my média+/(1)*'!")
        == "https://bucket.s3.us-east-1.amazonaws.com/my%20m%C3%A9dia%2B/%281%29%2A%27%21/manifests/a%252Fb.json")
  }

  @Test(
    "an endpoint or region that is none is refused",
    arguments: [
      "s3.example.com", "ftp://x", "https://", "https://x/path", "https://user@x", "https://x?y", "https://x y",
    ])
  func refusesEndpoints(endpoint: String) {
    let reason = #expect(throws: Rejection.Reason.self) { try url("x") { $0.endpoint = endpoint } }
    #expect(reason?.message.hasPrefix("the store's endpoint ") == true)
    #expect(reason?.message.contains("user") == false)
    #expect(throws: Rejection.Reason.self) { try url("x") { $0.region = "eu:west" } }
    #expect(throws: Rejection.Reason.self) { try url("x") { $0.region = "" } }
  }

  @Test(
    "a public address is where locations go",
    arguments: [
      ("https://media.example.com", "https://media.example.com/manifests/a%252Fb.json"),
      ("http://127.0.0.1:8080/a/b/", "http://127.0.0.1:8080/a/b/manifests/a%252Fb.json"),
      ("HTTPS://example.com//", "HTTPS://example.com/manifests/a%252Fb.json"),
    ])
  func makesPublicURLs(base: String, expected: String) throws {
    #expect(try PublicAddress(base).url(of: "manifests/a%2Fb.json") == expected)
  }

  @Test(
    "what cannot be a public address is refused with what is wrong",
    arguments: [
      ("media.example.com", "is no http or https URL"), ("", "is no http or https URL"),
      ("https://", "names no host"), ("https:///x", "names no host"), ("https://x/?y=", "has a query"),
      ("https://x/#y", "has a query or a fragment"), ("https://a:b@x/", "has user info"), ("https://x/a b", "percent"),
      ("https://bücher.example/", "percent-encode it"),
    ])
  func refusesPublicURLs(text: String, expected: String) {
    let malformed = #expect(throws: PublicAddress.Malformed.self) { try PublicAddress(text) }
    #expect(malformed?.sentence.contains(expected) == true)
  }

  @Test("base64 is that of RFC 4648", arguments: [("", ""), ("66", "Zg=="), ("666f", "Zm8="), ("666f6f", "Zm9v")])
  func encodesBase64(hex: String, expected: String) {
    #expect(base64(ofHex: hex) == expected)
  }
}
