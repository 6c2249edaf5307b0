public import Foundation
public import RichPush

/// What an extension may spend on a notification.
public struct LoadingLimits: Sendable, Equatable {
  /// Seconds for everything. iOS ends an extension after about 30.
  public var seconds: Double
  /// How many of them are kept for a video's poster, should the video not come in time.
  public var posterSeconds: Double
  /// Bytes to download in all.
  public var bytes: Int
  /// How many media to attach. iOS shows the first one.
  public var count: Int

  public init(seconds: Double = 20, posterSeconds: Double = 6, bytes: Int = 10_000_000, count: Int = 1) {
    self.seconds = seconds
    self.posterSeconds = posterSeconds
    self.bytes = bytes
    self.count = count
  }
}

/// A file that can be attached.
public struct LoadedMedia: Sendable, Equatable {
  public enum Form: Sendable, Equatable {
    case attachment, poster, placeholder
  }

  public var medium: PayloadMedia
  /// What of the medium it is.
  public var form: Form
  /// The type of the file, whose extension agrees.
  public var type: AttachmentType
  /// A file in a folder of its own, which belongs to the caller.
  public var file: URL
}

/// Makes files of what a payload names, within limits: the attachment, else the poster, else the placeholder.
public struct AttachmentLoader: Sendable {
  private let downloader: any MediaDownloader
  private let limits: LoadingLimits
  private let folder: URL

  /// - Parameter folder: where files go, by default the temporary one.
  public init(
    limits: LoadingLimits = LoadingLimits(), downloader: any MediaDownloader = URLSessionDownloader(),
    folder: URL = FileManager.default.temporaryDirectory
  ) {
    self.limits = limits
    self.downloader = downloader
    self.folder = folder
  }

  /// Gets the best that can be had for each medium. Never longer than the limits allow, and shorter when the task is
  /// cancelled; then placeholders are what is left.
  public func load(_ content: PayloadContent) async -> [LoadedMedia] {
    let end = Date(timeIntervalSinceNow: limits.seconds)
    var bytes = limits.bytes
    var loaded: [LoadedMedia] = []
    for medium in content.media.prefix(limits.count) {
      guard let media = await best(of: medium, bytes: bytes, until: end) else { continue }
      loaded.append(media)
      if media.form != .placeholder { bytes -= size(of: media.file) }
    }
    return loaded
  }

  /// What can be attached without the network, at once.
  public func placeholders(_ content: PayloadContent) -> [LoadedMedia] {
    content.media.prefix(limits.count).compactMap { medium in
      medium.thumbHash.flatMap { ThumbHash(base64: $0) }.flatMap { placeholder($0, of: medium) }
    }
  }

  private func best(of medium: PayloadMedia, bytes: Int, until end: Date) async -> LoadedMedia? {
    let candidates = medium.candidates(within: bytes)
    for candidate in candidates {
      switch candidate {
      case .attachment(let request):
        let reserve = medium.poster == nil ? 0 : limits.posterSeconds
        if let file = await file(request, until: end.addingTimeInterval(-reserve)) {
          return LoadedMedia(medium: medium, form: .attachment, type: request.type, file: file)
        }
      case .poster(let request):
        if let file = await file(request, until: end) {
          return LoadedMedia(medium: medium, form: .poster, type: request.type, file: file)
        }
      case .placeholder(let hash):
        if let media = placeholder(hash, of: medium) { return media }
      }
    }
    return nil
  }

  /// - Returns: nil when the file did not come, or is not what it has to be.
  private func file(_ request: DownloadRequest, until end: Date) async -> URL? {
    let seconds = end.timeIntervalSinceNow
    guard seconds > 0, !Task.isCancelled, let file = newFile(request.type) else { return nil }
    do {
      try await within(seconds) { try await downloader.download(request, to: file) }
      return file
    } catch {
      try? FileManager.default.removeItem(at: file.deletingLastPathComponent())
      return nil
    }
  }

  private func placeholder(_ hash: ThumbHash, of medium: PayloadMedia) -> LoadedMedia? {
    guard let file = newFile(.png) else { return nil }
    do {
      try Data(hash.picture().png).write(to: file)
    } catch {
      return nil
    }
    return LoadedMedia(medium: medium, form: .placeholder, type: .png, file: file)
  }

  /// A name with the right extension, which iOS goes by, in a folder of its own.
  private func newFile(_ type: AttachmentType) -> URL? {
    let own = folder.appendingPathComponent("enclosure-\(UUID().uuidString)", isDirectory: true)
    do {
      try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
    } catch {
      return nil
    }
    return own.appendingPathComponent("media.\(type.fileExtension)")
  }

  private func size(of file: URL) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber)?.intValue ?? 0
  }
}

/// Runs an operation, and cancels it when it takes too long.
private func within(_ seconds: Double, _ operation: @escaping @Sendable () async throws -> Void) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await operation() }
    group.addTask {
      try await Task.sleep(nanoseconds: UInt64(seconds * 1e9))
      throw DownloadFailure.timedOut
    }
    defer { group.cancelAll() }
    try await group.next()
  }
}
