import Digest
import RichPush
import Synchronization
import TestSupport
import Testing
import Transfer

extension AddressPolicy {
  /// What tests with servers of their own need.
  static let loopback = {
    var policy = AddressPolicy()
    policy.ports = Set(1...65_535)
    policy.blocks = ["127.0.0.0/8", "::1"].compactMap { try? AddressBlock($0) }
    return policy
  }()
}

/// What a test downloaded.
struct Fetched {
  var download: Download
  var bytes: [UInt8]
}

/// A downloader for loopback whose pauses take no time, and which remembers how long they would have been.
final class QuickDownloader: Sendable {
  let downloader: Downloader
  private let log = Log()

  private final class Log: Sendable {
    let pauses = Mutex<[Double]>([])
  }

  init(_ change: (inout TransferConfiguration) -> Void = { _ in }) {
    var configuration = TransferConfiguration()
    configuration.addressPolicy = .loopback
    let log = log
    configuration.pause = { seconds in log.pauses.withLock { $0.append(seconds) } }
    configuration.jitter = { $0 }
    change(&configuration)
    downloader = Downloader(configuration: configuration)
  }

  var pauses: [Double] { log.pauses.withLock { $0 } }

  func fetch(
    _ url: String, limits: TransferLimits = patient,
    limit: @escaping @Sendable (DownloadHead) -> Int = { _ in .max }, examine: Examiner? = nil,
    account: TransferAccount? = nil
  ) async throws -> Fetched {
    let file = try ScratchFile()
    let download = try await downloader.download(
      url, into: file.descriptor, limits: limits, examine: examine, account: account, limit: limit)
    #expect(file.position == 0)
    let bytes = file.contents
    #expect(download.bytes == bytes.count)
    #expect(download.sha256 == nil || download.sha256 == sha256(of: bytes))
    return Fetched(download: download, bytes: bytes)
  }

  /// The reason for which a download is refused; a failed expectation when it is not.
  func refusal(
    _ url: String, limits: TransferLimits = patient,
    limit: @escaping @Sendable (DownloadHead) -> Int = { _ in .max }, examine: Examiner? = nil,
    account: TransferAccount? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Rejection.Reason {
    let error = await #expect(throws: Rejection.Reason.self, sourceLocation: sourceLocation) {
      _ = try await self.fetch(url, limits: limits, limit: limit, examine: examine, account: account)
    }
    return try #require(error, sourceLocation: sourceLocation)
  }
}

/// Limits of time that no slow machine meets.
var patient: TransferLimits {
  var limits = TransferLimits()
  limits.connectTimeout = 100
  limits.stallTimeout = 100
  limits.totalTimeout = 1000
  return limits
}

/// The same, and nothing is tried twice.
var oneAttempt: TransferLimits {
  var limits = patient
  limits.attempts = 1
  return limits
}

/// The beginning of a JPEG file, followed by enough to be `count` bytes.
func jpeg(_ count: Int) -> [UInt8] {
  ([0xFF, 0xD8, 0xFF, 0xE0] + (0..<max(count, 4)).map { UInt8(truncatingIfNeeded: $0) }).prefix(count).map { $0 }
}
