import Blocking
import Digest
import Glibc
package import RichPush
package import Transfer

/// A store in a bucket of Amazon S3, or of one of the many servers that speak its protocol.
///
/// The keys are the locations of the store below a prefix. S3 shows an object once all of it has arrived, so a reader
/// never sees a part of one; each is sent with its SHA-256, in the signature and as `x-amz-checksum-sha256`, so that the
/// server refuses what was damaged on the way. Files are made in a folder of this machine, without a name.
///
/// What fails in passing is tried again, with the same bytes: an asset's key is its content, and of manifests the last
/// one counts.
package final class S3Store: AssetStore {
  private let client: S3Client
  private let workFolder: [UInt8]

  /// - Throws: `store_failed` when options or credentials cannot be. Nothing is sent yet: see `check`.
  package init(
    _ location: S3Location, _ options: StoreOptions = StoreOptions(), client: HTTPClient, workFolder: [UInt8]
  ) throws(Rejection.Reason) {
    self.client = try S3Client(location, options, client)
    self.workFolder = workFolder
  }

  /// The location of an object that is of no use but to `checkWriting`.
  private static let probe = ".enclosure-check"

  /// Asks for an object that need not be there. Credentials, region and bucket are judged before that is found missing.
  package func check() async throws(Rejection.Reason) {
    let probe = S3Client.Operation(method: .get, location: Self.probe)
    guard case .failure(let failure) = try await client.attempt(probe) else { return }
    // Who may not list the bucket is not told that a key is missing (Amazon's page of GetObject, "Permissions").
    guard !failure.fault.isMissingKey, !failure.fault.isAccessDenied else { return }
    throw client.reason(failure, "keep attachments")
  }

  /// Writes a small object, the same each time, which stays.
  package func checkWriting() async throws(Rejection.Reason) {
    let content = Array("Enclosure writes this to find out whether it may.\n".utf8)
    try await put(
      .bytes(content), sha256: Digest.sha256(of: content), at: Self.probe, contentType: "text/plain",
      cacheControl: "no-store", "keep attachments")
  }

  package func makeWorkFile() async throws(Rejection.Reason) -> WorkFile {
    let folder = workFolder
    return try await local("create a work file") { () throws(CallFailure) in try WorkFile(unnamedIn: folder) }
  }

  package func storeAsset(_ file: WorkFile, as type: AttachmentType) async throws(Rejection.Reason) -> StoredAsset {
    let kind = type.kind.rawValue
    let (sha256, bytes) = try await local("store the \(kind)") { () throws(CallFailure) in try hash(file) }
    guard bytes > 0 else { throw .emptyAsset(type) }
    let location = AssetLocation(sha256: sha256, type: type).description
    let asset = StoredAsset(location: location, sha256: sha256, bytes: bytes)
    guard file.take() else {
      throw Rejection.Reason(.storeFailed, at: .store, "the \(kind) was stored already, and its work file is gone")
    }
    // The answer is only worth something when it is yes: without the permission to list, what is missing is forbidden.
    if await size(at: location, attempts: 1) == bytes { return asset }
    do throws(Rejection.Reason) {
      try await put(
        .file(descriptor: file.descriptor, bytes: bytes), sha256: sha256, at: location, contentType: type.contentType,
        // Content never changes under its hash, so nobody need ask again.
        cacheControl: "public, max-age=31536000, immutable", "store the \(kind)")
    } catch {
      file.giveBack()
      throw error
    }
    return asset
  }

  package func storeManifest(_ json: [UInt8], id: String) async throws(Rejection.Reason) -> String {
    let location = "manifests/\(try fileName(ofManifest: id))"
    try await put(
      .bytes(json), sha256: Digest.sha256(of: json), at: location, contentType: "application/json",
      // A job that runs again replaces it.
      cacheControl: "no-cache", "write \(location)")
    return location
  }

  package func manifest(id: String) async throws(Rejection.Reason) -> [UInt8]? {
    let location = "manifests/\(try fileName(ofManifest: id))"
    switch try await client.attempt(.init(method: .get, location: location)) {
    case .success(let response): return response.body
    case .failure(let failure):
      if failure.fault.isMissingKey { return nil }
      throw client.reason(failure, "read \(location)")
    }
  }

  package func hasAsset(at location: String, bytes: Int) async -> Bool {
    guard let location = AssetLocation(location) else { return false }
    return await size(at: location.description, attempts: nil) == bytes
  }

  /// The size of an object; nil when it is not there, or nobody knows.
  private func size(at location: String, attempts: Int?) async -> Int? {
    let operation = S3Client.Operation(method: .head, location: location, attempts: attempts)
    guard case .success(let response)? = try? await client.attempt(operation) else { return nil }
    return response.fields["content-length"].flatMap { Int($0) }
  }

  private func put(
    _ body: HTTPRequest.Body, sha256: String, at location: String, contentType: String, cacheControl: String,
    _ action: String
  ) async throws(Rejection.Reason) {
    let checksum = base64(ofHex: sha256)
    let response = try await client.perform(
      S3Client.Operation(
        method: .put, location: location, body: body, sha256: sha256,
        fields: [
          ("Content-Type", contentType), ("Cache-Control", cacheControl), ("x-amz-checksum-sha256", checksum),
        ]), action)
    // A proxy's or website's "fine" is no promise to keep anything.
    guard response.fields["etag"] != nil else {
      throw client.reason(
        .init(fault: .strange("answered with status \(response.status), but not as an S3 server does"), attempts: 1),
        action)
    }
    if let theirs = response.fields["x-amz-checksum-sha256"], theirs != checksum {
      throw client.reason(
        .init(fault: .strange("stored something of another checksum than was sent"), attempts: 1), action)
    }
  }

  /// Runs on a thread where blocking is harmless.
  private func local<Value: Sendable>(
    _ action: String, _ body: @escaping @Sendable () throws(CallFailure) -> Value
  ) async throws(Rejection.Reason) -> Value {
    let folder = String(decoding: workFolder, as: UTF8.self)
    return try await blocking { () throws(Rejection.Reason) -> Value in
      do throws(CallFailure) {
        return try body()
      } catch {
        throw storeFailure(error.code, action, in: folder)
      }
    }
  }
}

/// Base64 of bytes that are written in hex (RFC 4648 section 4), as S3 wants checksums.
func base64(ofHex hex: String) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  let bits = hex.compactMap(\.hexDigitValue).flatMap { digit in (0..<4).map { digit >> (3 - $0) & 1 } }
  var text: [UInt8] = []
  for start in stride(from: 0, to: bits.count, by: 6) {
    let six = (start..<start + 6).reduce(0) { $0 << 1 | ($1 < bits.count ? bits[$1] : 0) }
    text.append(alphabet[six])
  }
  while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
  return String(decoding: text, as: UTF8.self)
}
