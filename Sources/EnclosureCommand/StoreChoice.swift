import AssetStore
import Glibc
import MediaChannel
import Pipeline
import RichPush
import Transfer

/// Where a command keeps what it prepares, as its options say.
struct StoreChoice {
  /// What every command with a store takes, besides its location.
  static let syntax: [Syntax.Option] = [
    .init("store-endpoint", .one("URL"), "the S3 server; AWS_ENDPOINT_URL, or Amazon's by default"),
    .init("store-region", .one("REGION"), "the bucket's region; AWS_REGION, the profile's, or us-east-1 by default"),
    .init("store-addressing", .one("path|host"), "where the bucket's name stands; path by default with an endpoint"),
    .init("store-credentials", .one("FILE"), "profiles with credentials, instead of AWS_ACCESS_KEY_ID and the like"),
    .init("store-profile", .one("NAME"), "the profile; AWS_PROFILE, or default"),
    .init("public-url", .one("URL"), "where the public gets the store's files: gives each attachment its url"),
  ]

  /// What the help of those commands says about it.
  static let details = """
    --store takes a folder or s3://BUCKET/PREFIX. Credentials for S3 come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY
    and AWS_SESSION_TOKEN, or from a profile of --store-credentials, AWS_SHARED_CREDENTIALS_FILE or ~/.aws/credentials,
    which is read again when it changes.
    """

  let location: StoreLocation
  let options: StoreOptions
  let publicAddress: PublicAddress?

  /// - Throws: when the options make no sense, or name no store.
  init(_ arguments: Arguments) throws(UsageError) {
    let named = ["out", "store"].filter { arguments.bytes($0).map { !$0.isEmpty } ?? false }
    guard named.count < 2 else {
      throw UsageError(
        "\(arguments.given("out")) and \(arguments.given("store")) both say where the attachments go; use one of them")
    }
    guard let name = named.first, let text = arguments.bytes(name) else {
      throw UsageError("--out DIR says where the attachments go, or --store s3://BUCKET/PREFIX")
    }
    location = name == "out" ? .directory(text) : try Self.location(text, option: arguments.given("store"))
    options = try Self.options(arguments)
    publicAddress = try Self.publicAddress(arguments)
  }

  private static func location(_ text: [UInt8], option: String) throws(UsageError) -> StoreLocation {
    do throws(StoreLocation.Malformed) {
      return try StoreLocation(text)
    } catch {
      throw UsageError("\(option) \(String(decoding: text, as: UTF8.self)) \(error.sentence)")
    }
  }

  static func options(_ arguments: Arguments) throws(UsageError) -> StoreOptions {
    var options = StoreOptions()
    options.endpoint = arguments.text("store-endpoint")
    options.region = arguments.text("store-region")
    options.addressing = try arguments.choice("store-addressing", of: StoreOptions.Addressing.self)
    options.credentialsFile = arguments.text("store-credentials")
    options.profile = arguments.text("store-profile")
    return options
  }

  static func publicAddress(_ arguments: Arguments) throws(UsageError) -> PublicAddress? {
    guard let text = arguments.text("public-url") else { return nil }
    do throws(PublicAddress.Malformed) {
      return try PublicAddress(text)
    } catch {
      throw UsageError("\(arguments.given("public-url")) \(text) \(error.sentence)")
    }
  }

  /// The folder that it is; nil for what is not on this machine.
  var folder: FilePath? {
    switch location {
    case .directory(let path): FilePath(bytes: path)
    case .s3: nil
    }
  }

  /// For people.
  var name: String {
    switch location {
    case .directory(let path): FilePath(bytes: path).description
    case .s3(let location): location.description
    }
  }
}
