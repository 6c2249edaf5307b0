public import Foundation
public import RichPush

/// Gets files over the network, for ``AttachmentLoader``.
public protocol MediaDownloader: Sendable {
  /// Downloads a file and checks it against what it has to be. Ends soon when its task is cancelled.
  /// - Parameter file: where to write it; nothing is there yet. On failure the caller removes it, and goes by its size for
  ///   how much was received.
  func download(_ request: DownloadRequest, to file: URL) async throws
}

/// Why a file cannot be attached.
public enum DownloadFailure: Error, Sendable, Equatable {
  case invalidURL(String)
  /// The server's answer was no 200.
  case status(Int)
  case tooLarge(limit: Int)
  case wrongSize(bytes: Int, expected: Int)
  /// The bytes are of another type: an error page, for instance.
  case wrongType
  case wrongHash
  case timedOut
  case connection(String)
  /// The file could not be written.
  case storage(String)
}
