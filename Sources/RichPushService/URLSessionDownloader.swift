public import Foundation
public import RichPush

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Downloads through `URLSession`, straight into a file: the memory of an extension is small.
public struct URLSessionDownloader: MediaDownloader {
  private let configuration: @Sendable () -> URLSessionConfiguration

  /// - Parameter configuration: by default an ephemeral one that waits for no connection.
  public init(configuration: (@Sendable () -> URLSessionConfiguration)? = nil) {
    self.configuration = configuration ?? { URLSessionConfiguration.ephemeral }
  }

  public func download(_ request: DownloadRequest, to file: URL) async throws {
    guard let url = URL(string: request.url) else { throw DownloadFailure.invalidURL(request.url) }
    guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
      throw DownloadFailure.storage("the file cannot be made")
    }
    let receiver = DownloadReceiver(request, handle: try FileHandle(forWritingTo: file))
    let queue = OperationQueue()
    // One call after the other, which the receiver relies on.
    queue.maxConcurrentOperationCount = 1
    let session = URLSession(configuration: configuration(), delegate: receiver, delegateQueue: queue)
    defer { session.finishTasksAndInvalidate() }
    let task = session.dataTask(with: url)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.addOperation { receiver.begin(continuation) }
        task.resume()
      }
    } onCancel: {
      // At once, even before there is anybody to tell: the receiver keeps what came of it.
      task.cancel()
    }
    try Task.checkCancellation()
  }
}

/// Takes what comes for one download.
///
/// Unchecked: what may change is used only on the session's own queue, where one operation follows the other.
private final class DownloadReceiver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let request: DownloadRequest
  private let handle: FileHandle
  private var digest = FileDigest()
  private var start: [UInt8] = []
  private var count = 0
  private var failure: DownloadFailure?
  /// Who waits for the end; nil before it has said so, and once it was told.
  private var continuation: CheckedContinuation<Void, any Error>?
  /// How the download ended, when that was before anybody waited for it.
  private var result: Result<Void, any Error>?

  init(_ request: DownloadRequest, handle: FileHandle) {
    self.request = request
    self.handle = handle
  }

  /// Says who waits for the end.
  func begin(_ continuation: CheckedContinuation<Void, any Error>) {
    if let result {
      continuation.resume(with: result)
    } else {
      self.continuation = continuation
    }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    if let answer = response as? HTTPURLResponse, answer.statusCode != 200 {
      end(dataTask, .status(answer.statusCode))
    } else if response.expectedContentLength > Int64(request.maximumBytes) {
      end(dataTask, .tooLarge(limit: request.maximumBytes))
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard failure == nil else { return }
    // Even what is too much or wrong: the file shows how much has come.
    do {
      try handle.write(contentsOf: data)
    } catch {
      return end(dataTask, .storage("\(error)"))
    }
    count += data.count
    guard count <= request.maximumBytes else { return end(dataTask, .tooLarge(limit: request.maximumBytes)) }
    if start.count < AttachmentType.signatureLength {
      start += data.prefix(AttachmentType.signatureLength - start.count)
      if start.count == AttachmentType.signatureLength, !request.type.matches(start: start) {
        return end(dataTask, .wrongType)
      }
    }
    digest.update(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    try? handle.close()
    let failure = failure ?? error.map { .connection($0.localizedDescription) } ?? fault
    let result: Result<Void, any Error> = failure.map { .failure($0) } ?? .success(())
    if let continuation {
      continuation.resume(with: result)
      self.continuation = nil
    } else {
      self.result = result
    }
  }

  /// What is wrong with a file that has come as a whole.
  private var fault: DownloadFailure? {
    guard request.type.matches(start: start) else { return .wrongType }
    if let expected = request.expectedBytes, expected != count { return .wrongSize(bytes: count, expected: expected) }
    if let sha256 = request.sha256, sha256 != digest.hex { return .wrongHash }
    return nil
  }

  private func end(_ task: URLSessionTask, _ failure: DownloadFailure) {
    self.failure = failure
    task.cancel()
  }
}
