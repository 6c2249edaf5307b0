import Blocking
import Glibc
import RichPush
import Synchronization

/// Where the credentials come from: environment variables, or a profile of a file.
///
/// The file is read again when it has changed, and when its credentials were refused: so they can be renewed while the
/// process runs. While a new file is being written, the last good credentials go on being used.
final class AWSCredentialSource: Sendable {
  private enum Origin: Sendable {
    case environment(AWSCredentials)
    case file(path: String, profile: String)
  }

  private struct Reading: Sendable {
    var state: FileStamp
    var credentials: AWSCredentials
  }

  private let origin: Origin
  private let last = Mutex<Reading?>(nil)

  /// - Throws: `store_failed` when nothing says where credentials are, or half of them are missing.
  init(_ options: StoreOptions) throws(Rejection.Reason) {
    let variable = options.variable
    let file = options.credentialsFile ?? variable("AWS_SHARED_CREDENTIALS_FILE")
    // An option beats the environment, and there a key a file, as in Amazon's own tools.
    if options.credentialsFile == nil, options.profile == nil, let accessKey = variable("AWS_ACCESS_KEY_ID") {
      guard let secretKey = variable("AWS_SECRET_ACCESS_KEY") else {
        throw unusable("AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not; set both")
      }
      let credentials = AWSCredentials(
        accessKey: accessKey, secretKey: secretKey, sessionToken: variable("AWS_SESSION_TOKEN"))
      if let part = credentials.malformedPart {
        throw unusable("the \(part) in the environment has a space, a line's end or a control character; remove it")
      }
      origin = .environment(credentials)
    } else if let path = file ?? variable("HOME").map({ "\($0)/.aws/credentials" }) {
      origin = .file(path: path, profile: options.profileName)
    } else {
      throw unusable("there are no credentials; \(Self.advice)")
    }
  }

  /// For messages: where somebody has to mend something.
  var name: String {
    switch origin {
    case .environment: "the environment (AWS_ACCESS_KEY_ID …)"
    case .file(let path, let profile): "the profile [\(profile)] of \(path)"
    }
  }

  /// The credentials as they are now.
  func current() async throws(Rejection.Reason) -> AWSCredentials {
    switch origin {
    case .environment(let credentials): credentials
    case .file(let path, let profile):
      try await blocking { () throws(Rejection.Reason) in try self.read(path, profile, again: false) }
    }
  }

  /// Reads them again after they were refused.
  /// - Returns: whether they are other ones now.
  func renew(_ refused: AWSCredentials) async -> Bool {
    guard case .file(let path, let profile) = origin else { return false }
    let renewed = await blocking { try? self.read(path, profile, again: true) }
    return renewed.map { $0 != refused } ?? false
  }

  /// Blocks.
  private func read(_ path: String, _ profile: String, again: Bool) throws(Rejection.Reason) -> AWSCredentials {
    let known = last.withLock { $0 }
    let failure: String
    switch FileStamp.reading(path) {
    case .failure(let error):
      failure = "\(path) cannot be read: \(String(cString: strerror(error.code)))"
    case .success(let stamp):
      if !again, let known, known.state == stamp { return known.credentials }
      switch text(ofFile: path).map({ AWSProfiles($0).credentials(of: profile) }) {
      case .success(.success(let credentials)) where credentials.malformedPart != nil:
        let part = credentials.malformedPart ?? "key"
        failure = "the \(part) in the profile [\(profile)] of \(path) has a space or a control character"
      case .success(.success(let credentials)):
        last.withLock { $0 = Reading(state: stamp, credentials: credentials) }
        return credentials
      case .success(.failure(let missing)): failure = "\(path) has \(missing.name)"
      case .failure(let error): failure = "\(path) cannot be read: \(String(cString: strerror(error.code)))"
      }
    }
    if let known { return known.credentials }
    throw unusable("there are no credentials: \(failure); \(Self.advice)")
  }

  private static let advice =
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a file by --store-credentials and its --store-profile"
}

/// What tells one state of a file from another.
private struct FileStamp: Sendable, Equatable {
  var inode: UInt
  var bytes: Int
  var seconds: Int
  var nanoseconds: Int

  static func reading(_ path: String) -> Result<FileStamp, CallFailure> {
    var status = stat()
    guard stat(path, &status) == 0 else { return .failure(CallFailure(code: errno)) }
    return .success(
      FileStamp(
        inode: UInt(status.st_ino), bytes: Int(status.st_size), seconds: status.st_mtim.tv_sec,
        nanoseconds: status.st_mtim.tv_nsec))
  }
}

/// A small file's text.
func text(ofFile path: String) -> Result<String, CallFailure> {
  do {
    let descriptor = try call { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    defer { close(descriptor) }
    return .success(String(decoding: try readAll(descriptor), as: UTF8.self))
  } catch {
    return .failure(error)
  }
}

/// The store cannot be used until somebody mends its configuration.
func unusable(_ message: String) -> Rejection.Reason {
  Rejection.Reason(.storeFailed, at: .store, message)
}
