public import Foundation
public import RichPush

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
  /// A file in a folder of its own. Both belong to the caller.
  public var file: URL

  /// Removes the file and its folder.
  public func remove() {
    try? FileManager.default.removeItem(at: file.deletingLastPathComponent())
  }
}

/// Makes files of what a payload names, within limits: the attachment, else the poster, else the placeholder.
public struct AttachmentLoader: Sendable {
  private let downloader: any MediaDownloader
  private let limits: LoadingLimits
  /// Where each file has a folder.
  private let folder: URL

  /// - Parameter folder: where files go, in a folder `enclosure`; by default the temporary one.
  public init(
    limits: LoadingLimits = LoadingLimits(), downloader: any MediaDownloader = URLSessionDownloader(),
    folder: URL = FileManager.default.temporaryDirectory
  ) {
    self.limits = limits
    self.downloader = downloader
    self.folder = folder.appendingPathComponent("enclosure", isDirectory: true)
  }

  /// Gets the best that can be had for each medium. Never longer than the limits allow, and shorter when the task is
  /// cancelled; then placeholders are what is left.
  public func load(_ content: PayloadContent) async -> [LoadedMedia] {
    await load(content) { $0 }
  }

  /// The same, and makes something of each file.
  /// - Parameter make: throws when it can make nothing of a file. That is removed then, and the next best is tried, as
  ///   long as there is time.
  public func load<Made>(_ content: PayloadContent, making make: (LoadedMedia) throws -> Made) async -> [Made] {
    var budget = LoadingBudget(limits)
    var all: [Made] = []
    for medium in content.media.prefix(max(0, limits.count)) {
      for candidate in medium.candidates(within: budget.bytes) {
        if let loaded = await file(candidate, of: medium, &budget), let made = keep(loaded, making: make) {
          all.append(made)
          break
        }
      }
    }
    return all
  }

  /// What can be attached without the network, at once.
  public func placeholders(_ content: PayloadContent) -> [LoadedMedia] {
    placeholders(content) { $0 }
  }

  /// The same, and makes something of each file; what cannot be made is left out.
  public func placeholders<Made>(_ content: PayloadContent, making make: (LoadedMedia) throws -> Made) -> [Made] {
    content.media.prefix(max(0, limits.count)).compactMap { medium in
      medium.thumbHash.flatMap { ThumbHash(base64: $0) }.flatMap { placeholder($0, of: medium) }
        .flatMap { keep($0, making: make) }
    }
  }

  /// Removes files that were loaded long ago: those of extensions that were ended before they could hand them on, and the
  /// empty folders of those that the system has taken.
  /// - Parameter seconds: how old. The system takes a file after an extension has finished, so it must not be too little.
  public func removeLeftovers(olderThan seconds: Double = 600) {
    let key = URLResourceKey.contentModificationDateKey
    let folders = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [key])
    for folder in folders ?? [] {
      guard let date = try? folder.resourceValues(forKeys: [key]).contentModificationDate,
        date.timeIntervalSinceNow < -seconds
      else { continue }
      try? FileManager.default.removeItem(at: folder)
    }
  }

  private func keep<Made>(_ loaded: LoadedMedia, making make: (LoadedMedia) throws -> Made) -> Made? {
    do {
      return try make(loaded)
    } catch {
      loaded.remove()
      return nil
    }
  }

  /// - Returns: nil when the file did not come, or is not what it has to be.
  private func file(
    _ candidate: MediaCandidate, of medium: PayloadMedia, _ budget: inout LoadingBudget
  ) async -> LoadedMedia? {
    switch candidate {
    case .attachment(let request):
      let file = await download(request, for: budget.time(hasPoster: medium.poster != nil), &budget)
      return file.map { LoadedMedia(medium: medium, form: .attachment, type: request.type, file: $0) }
    case .poster(let request):
      let file = await download(request, for: budget.time(hasPoster: false), &budget)
      return file.map { LoadedMedia(medium: medium, form: .poster, type: request.type, file: $0) }
    case .placeholder(let hash):
      return placeholder(hash, of: medium)
    }
  }

  private func download(_ request: DownloadRequest, for time: Duration, _ budget: inout LoadingBudget) async -> URL? {
    var request = request
    // What was tried before may have taken some.
    request.maximumBytes = min(request.maximumBytes, budget.bytes)
    guard request.maximumBytes > 0, time > .zero, !Task.isCancelled, let file = newFile(request.type) else {
      return nil
    }
    do {
      try await within(time) { [request] in try await downloader.download(request, to: file) }
      budget.bytes -= size(of: file)
      return file
    } catch {
      budget.bytes -= size(of: file)
      try? FileManager.default.removeItem(at: file.deletingLastPathComponent())
      return nil
    }
  }

  private func placeholder(_ hash: ThumbHash, of medium: PayloadMedia) -> LoadedMedia? {
    guard let file = newFile(.png) else { return nil }
    let loaded = LoadedMedia(medium: medium, form: .placeholder, type: .png, file: file)
    do {
      try Data(hash.picture().png).write(to: file)
    } catch {
      loaded.remove()
      return nil
    }
    return loaded
  }

  /// A name with the right extension, which iOS goes by, in a folder of its own.
  private func newFile(_ type: AttachmentType) -> URL? {
    let own = folder.appendingPathComponent(UUID().uuidString, isDirectory: true)
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
private func within(_ time: Duration, _ operation: @escaping @Sendable () async throws -> Void) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await operation() }
    group.addTask {
      try await Task.sleep(for: time)
      throw DownloadFailure.timedOut
    }
    defer { group.cancelAll() }
    try await group.next()
  }
}
