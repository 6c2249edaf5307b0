import AssetStore
import Blocking
import Digest
import Glibc
import MediaChannel
import RichPush
import Transfer

extension WorkFile: DescriptorOwner {}
extension CachedBody: DescriptorOwner {}

/// A source whose bytes are at hand.
struct OpenSource: Sendable {
  /// Held open as long as somebody reads it.
  let file: any DescriptorOwner
  /// The extension of the source's name, in lower case: what it claims to be.
  let claimedExtension: String?
  /// What the transfer told; nil for a file.
  let download: Download?
  let state: FileState
  /// SHA-256 of the bytes, in lower-case hex, where it is known already.
  private(set) var knownHash: String?

  /// What was found out about it, for all who share it.
  let findings = SourceFindings()

  /// Whether several jobs may have the same open file: one that nobody else writes to.
  var isShared: Bool { download != nil }

  /// Opens a local file.
  init(path: FilePath, access: FileAccess = .any) async throws(Rejection.Reason) {
    claimedExtension = path.fileExtension
    download = nil
    (file, state) = try await blocking { () throws(Rejection.Reason) in
      let file = try access.open(path)
      return (file, try FileState(of: file.descriptor))
    }
  }

  /// Takes over what a transfer has written.
  init(_ download: Download, in spool: OpenFile) throws(Rejection.Reason) {
    file = download.keptBody ?? spool
    claimedExtension = FilePath(download.finalURL).fileExtension
    self.download = download
    state = try FileState(of: file.descriptor)
  }

  /// SHA-256 of the bytes, in lower-case hex.
  /// - Throws: `fetch_failed` when the file changes while it is used: what was prepared may be of either version.
  func hash() async throws(Rejection.Reason) -> String {
    if let knownHash { return knownHash }
    // Nobody else writes into a download's file, so what was hashed on the way is what is there.
    if let sha256 = download?.sha256, download?.bytes == state.bytes { return sha256 }
    let (file, state) = (file, state)
    return try await blocking { () throws(Rejection.Reason) in
      let hash: (hex: String, bytes: Int)
      do throws(ReadFailure) {
        hash = try sha256(ofFile: file.descriptor)
      } catch {
        throw unreadable(error.errno)
      }
      guard hash.bytes == state.bytes else { throw changed }
      return hash.hex
    }
  }

  /// The same source with its hash known.
  func hashed() async throws(Rejection.Reason) -> OpenSource {
    var source = self
    source.knownHash = try await hash()
    return source
  }

  /// The same file, opened again. Helpers move the position of what they read, which must not be another one's too.
  func reopened() async throws(Rejection.Reason) -> OpenSource {
    let path = "/proc/self/fd/\(file.descriptor)"
    return OpenSource(
      self,
      in: try await blocking { () throws(Rejection.Reason) in
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(errno) }
        return OpenFile(adopting: descriptor)
      })
  }

  private init(_ source: OpenSource, in file: OpenFile) {
    self.file = file
    claimedExtension = source.claimedExtension
    download = source.download
    state = source.state
    knownHash = source.knownHash
  }

  /// Makes sure that the file is still the one that was opened.
  func requireUnchanged() throws(Rejection.Reason) {
    guard try FileState(of: file.descriptor) == state else { throw changed }
  }
}

/// What changes when a file is written to.
package struct FileState: Sendable, Equatable {
  package let bytes: Int
  /// Nanoseconds since 1970; wrapped around for times that are centuries away, which files may have.
  package let modified: Int

  init(of descriptor: Int32) throws(Rejection.Reason) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR:
      throw Rejection.Reason(
        .fetchFailed, at: .fetch, "the source is a folder; enclosure batch prepares all files in one", permanent: true)
    default:
      throw Rejection.Reason(
        .fetchFailed, at: .fetch, "the source is no regular file but a device, pipe or socket", permanent: true)
    }
    self.init(status)
  }

  init(_ status: stat) {
    bytes = Int(status.st_size)
    modified = status.st_mtim.tv_sec &* 1_000_000_000 &+ status.st_mtim.tv_nsec
  }
}

private let changed = Rejection.Reason(
  .fetchFailed, at: .fetch, "the file was changed while it was read; prepare it again when it is complete")

/// A local file that cannot be opened or read, by its `errno`.
func unreadable(_ code: Int32) -> Rejection.Reason {
  let permanent: Bool
  switch code {
  case EIO, EMFILE, ENFILE, ENOMEM, ESTALE, EINTR, EAGAIN, ETIMEDOUT: permanent = false
  default: permanent = true
  }
  return Rejection.Reason(
    .fetchFailed, at: .fetch, "the file cannot be read: \(String(cString: strerror(code)))", permanent: permanent)
}
