import Glibc
import RichPush
import TestSupport
import Testing
import Transfer

@testable import AssetStore

@Suite struct AWSCredentialTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func options(_ environment: [String: String], file: String? = nil, profile: String? = nil) -> StoreOptions {
    var options = StoreOptions()
    options.variable = { environment[$0] }
    options.credentialsFile = file
    options.profile = profile
    options.pause = { _ in }
    return options
  }

  private func failure(_ options: StoreOptions) async -> String? {
    let reason = await #expect(throws: Rejection.Reason.self) { try await AWSCredentialSource(options).current() }
    #expect(reason?.code == .storeFailed && reason?.permanent == false)
    return reason?.message
  }

  @Test("credentials come from the environment")
  func readsEnvironment() async throws {
    let variables = ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "HOME": folder.path]
    let lasting = AWSCredentials(accessKey: "a", secretKey: "b")
    #expect(try await AWSCredentialSource(options(variables)).current() == lasting)
    let temporary = variables.merging(["AWS_SESSION_TOKEN": "c"]) { $1 }
    #expect(try await AWSCredentialSource(options(temporary)).current().sessionToken == "c")
  }

  @Test("a line's end that came along with a secret is told, not the secret", arguments: ["b\n", "b b", "b\t"])
  func refusesWhiteSpace(secret: String) async throws {
    let message = await failure(options(["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": secret]))
    #expect(
      message
        == "the secret key in the environment has a space, a line's end or a control character; remove it")
    try folder.write(Array("[default]\naws_access_key_id=a b\naws_secret_access_key=b\n".utf8), to: "c")
    let file = "\(folder.path)/c"
    #expect(
      await failure(options([:], file: file))?.hasPrefix(
        "there are no credentials: the access key in the profile [default] of \(file) has a space") == true)
  }

  @Test("half a pair of credentials is none")
  func needsBoth() async {
    #expect(
      await failure(options(["AWS_ACCESS_KEY_ID": "a"]))
        == "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not; set both")
  }

  @Test("credentials come from a profile of the usual file, or of one that is named")
  func readsFile() async throws {
    let text = """
      # comment
      [default]
      aws_access_key_id=a
      aws_secret_access_key = b=/+
      ; comment
      [ other ]
      AWS_ACCESS_KEY_ID = c
      aws_secret_access_key = d
      aws_session_token = e
      region = eu-west-1
      """
    try folder.write(Array(text.utf8), to: ".aws/credentials")
    let file = "\(folder.path)/.aws/credentials"
    let standard = AWSCredentials(accessKey: "a", secretKey: "b=/+")
    let other = AWSCredentials(accessKey: "c", secretKey: "d", sessionToken: "e")
    let home = ["HOME": folder.path]
    for (options, expected) in [
      (options(home), standard), (options(home.merging(["AWS_PROFILE": "other"]) { $1 }), other),
      (options(home.merging(["AWS_DEFAULT_PROFILE": "other"]) { $1 }), other),
      (options(["AWS_SHARED_CREDENTIALS_FILE": file]), standard), (options([:], file: file, profile: "other"), other),
      // An option beats the environment.
      (options(["AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y"], file: file), standard),
    ] {
      #expect(try await AWSCredentialSource(options).current() == expected)
    }
  }

  @Test("the region is that of the profile with the credentials", arguments: ["AWS_PROFILE", "AWS_DEFAULT_PROFILE"])
  func readsRegion(variable: String) throws {
    let text = "[default]\nregion = eu-west-1\n[profile other]\nregion = eu-west-2\n"
    try folder.write(Array(text.utf8), to: ".aws/config")
    func region(_ environment: [String: String], profile: String? = nil) throws -> String {
      let all = environment.merging(["HOME": folder.path]) { $1 }
      return try S3Bucket(try S3Location("bucket"), options(all, profile: profile)).region
    }
    #expect(try region([:]) == "eu-west-1")
    #expect(try region([variable: "other"]) == "eu-west-2")
    #expect(try region([variable: "other"], profile: "default") == "eu-west-1")
  }

  @Test("no credentials are an error that says how to give them, and shows no part of any")
  func reportsMissing() async throws {
    let advice =
      "; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a file by --store-credentials and its --store-profile"
    #expect(await failure(options([:])) == "there are no credentials\(advice)")
    let file = "\(folder.path)/credentials"
    #expect(
      await failure(options([:], file: file))
        == "there are no credentials: \(file) cannot be read: No such file or directory\(advice)")
    try folder.write(Array("[default]\naws_access_key_id = hidden\n".utf8), to: "credentials")
    #expect(
      await failure(options([:], file: file))
        == "there are no credentials: \(file) has no aws_secret_access_key in the profile [default]\(advice)")
    #expect(
      await failure(options([:], file: file, profile: "x"))
        == "there are no credentials: \(file) has no profile [x]\(advice)")
  }

  @Test("a file that changes is read again, and one that is half written is waited for")
  func rereads() async throws {
    try folder.write(Array("[default]\naws_access_key_id=a\naws_secret_access_key=b\n".utf8), to: "c")
    let source = try AWSCredentialSource(options([:], file: "\(folder.path)/c"))
    #expect(try await source.current().accessKey == "a")
    try folder.write(Array("[default]\naws_access_key_id=new\n".utf8), to: "c")
    #expect(try await source.current().accessKey == "a")
    try folder.write(Array("[default]\naws_access_key_id=new\naws_secret_access_key=b\n".utf8), to: "c")
    #expect(try await source.current().accessKey == "new")
    try folder.remove("c")
    #expect(try await source.current().accessKey == "new")
  }

  @Test("credentials that are refused are read again, and the request sent with new ones")
  func renews() async throws {
    let folder = folder
    let file = "\(folder.path)/credentials"
    func write(_ key: String) throws {
      // Of the same size, and perhaps of the same time.
      try folder.write(Array("[default]\naws_access_key_id=\(key)\naws_secret_access_key=b\n".utf8), to: "credentials")
    }
    try write("old")
    let origin = try FaultyOrigin { request in
      if request["authorization"]?.contains("Credential=new/") == true {
        return FaultyOrigin.response(200, ["ETag: \"x\""])
      }
      try? folder.write(Array("[default]\naws_access_key_id=new\naws_secret_access_key=b\n".utf8), to: "credentials")
      return FaultyOrigin.response(400, body: Array("<Error><Code>ExpiredToken</Code></Error>".utf8))
    }
    var options = options([:], file: file)
    options.endpoint = origin.url("")
    let store = try S3Store(try S3Location("bucket"), options, client: HTTPClient(), workFolder: Array("/tmp".utf8))
    _ = try await store.storeManifest([1], id: "x")
    #expect(origin.requests.count == 2)
  }
}
