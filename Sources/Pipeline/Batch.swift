package import AssetStore
import Blocking
import Glibc
package import Preparation
package import RichPush

/// Many jobs of one source each: every file below a folder, or every URL of a list.
package struct Batch: Sendable {
  /// What is prepared.
  package enum Sources: Sendable {
    case folder(FilePath)
    case urls(URLList)
  }

  private let sources: Sources
  private let output: FilePath
  private let cache: FilePath?
  private let pipeline: Pipeline
  private let store: any AssetStore
  private let options: PreparationOptions
  private let parallelJobs: Int

  /// - Parameters:
  ///   - output: the folder of `index.jsonl`; the store's, where that is a folder. Made when missing.
  ///   - cache: the folder of the cache, which is no source either.
  ///   - parallelJobs: how many jobs are begun before another has ended: enough to keep all helpers busy, and with URLs
  ///     to have the network work ahead of them.
  package init(
    _ sources: Sources, output: FilePath, pipeline: Pipeline, store: any AssetStore, options: PreparationOptions,
    cache: FilePath? = nil, parallelJobs: Int
  ) {
    self.sources = sources
    self.output = output
    self.cache = cache
    self.pipeline = pipeline
    self.store = store
    self.options = options
    self.parallelJobs = parallelJobs
  }

  package enum Event: Sendable {
    /// All files are known; so many of them were prepared by an earlier run and have not changed.
    case found(jobs: Int, upToDate: Int)
    case finished(BatchIndex.Line, Manifest)
  }

  /// Why a batch could not be done.
  package enum Failure: Error, Equatable {
    case folderUnreadable(FilePath, FileFailure)
    case indexUnwritable(FilePath, FileFailure)
    case store(Rejection.Reason)
  }

  /// Prepares what is missing or changed since the last run.
  /// - Parameter report: is called for each event, one at a time.
  /// - Returns: the lines of all jobs, those that were up to date included.
  /// - Throws: `CancellationError` when the task was cancelled: the jobs that had ended are in the index, all else is
  ///   as it was. Else a `Failure`.
  package func run(report: (Event) -> Void) async throws -> [BatchIndex.Line] {
    let jobs = try await jobs()
    let index = await blocking { [output] in
      makeFolders(to: output)
      return BatchIndex(at: output.appending(Array("index.jsonl".utf8)))
    }
    let waiting = try await outdated(jobs, index: index)
    report(.found(jobs: jobs.count, upToDate: jobs.count - waiting.count))

    try await withThrowingTaskGroup(of: (BatchIndex.Line, Manifest).self) { group in
      var rest = waiting.makeIterator()
      for _ in 0..<parallelJobs {
        if let job = rest.next() { group.addTask { try await run(job) } }
      }
      var failure: (any Error)?
      while let result = await group.nextResult() {
        do {
          let (line, manifest) = try result.get()
          try await write { () throws(FileFailure) in try index.append(line) }
          report(.finished(line, manifest))
          if failure == nil, let job = rest.next() { group.addTask { try await run(job) } }
        } catch {
          // The others end as soon as they can. Those that come to a result all the same are in the index too.
          if failure == nil { failure = error }
          group.cancelAll()
        }
      }
      if let failure { throw failure }
    }
    let ids = Set(jobs.map(\.id))
    try await write { () throws(FileFailure) in try index.finish(keeping: ids) }
    return index.lines.values.sorted { $0.id < $1.id }
  }

  private func write(_ work: @escaping @Sendable () throws(FileFailure) -> Void) async throws(Failure) {
    do throws(FileFailure) {
      try await blocking(work)
    } catch {
      throw .indexUnwritable(output, error)
    }
  }

  /// A source and the id of its job.
  private struct NamedSource: Sendable {
    let id: String
    let location: JobSource.Location
    /// A file's size and time before it was opened; nil for URLs.
    let state: FileState?
  }

  private func jobs() async throws(Failure) -> [NamedSource] {
    switch sources {
    case .folder(let folder):
      let entries = try await walk(folder).entries
      let ids = distinct(entries.map(\.path.description))
      return zip(ids, entries).map { id, entry in
        NamedSource(id: id, location: .file(folder.appending(entry.path.bytes)), state: entry.state)
      }
    case .urls(let list):
      return zip(distinct(list.ids), list.entries).map { id, entry in
        NamedSource(id: id, location: .url(entry.url), state: nil)
      }
    }
  }

  private func walk(_ folder: FilePath) async throws(Failure) -> FolderWalk {
    do throws(FileFailure) {
      return try await blocking { [folder, output, cache] () throws(FileFailure) in
        try FolderWalk(of: folder, excluding: [output, cache].compactMap { $0.flatMap(FolderIdentity.init(of:)) })
      }
    } catch {
      throw .folderUnreadable(folder, error)
    }
  }

  /// Numbers those that are alike: names that are no UTF-8, and URLs that differ in what is not shown.
  private func distinct(_ names: [String]) -> [String] {
    var taken: Set<String> = []
    var last: [String: Int] = [:]
    return names.map { name in
      var id = name
      while !taken.insert(id).inserted {
        last[name, default: 1] += 1
        id = "\(name)~\(last[name, default: 1])"
      }
      return id
    }
  }

  /// The jobs that are to be done, in their order. A store may be far away, so many are asked about at a time.
  private func outdated(_ jobs: [NamedSource], index: BatchIndex) async throws -> [NamedSource] {
    let lines = index.lines
    return try await withThrowingTaskGroup(of: Int?.self) { group in
      var outdated: [Int] = []
      for (number, job) in jobs.enumerated() {
        try Task.checkCancellation()
        guard let line = lines[job.id] else {
          outdated.append(number)
          continue
        }
        if number >= Self.questionsAtATime, let answered = try await group.next(), let answered {
          outdated.append(answered)
        }
        group.addTask { await isUpToDate(line, job) ? nil : number }
      }
      for try await answered in group { if let answered { outdated.append(answered) } }
      return outdated.sorted().map { jobs[$0] }
    }
  }

  private static let questionsAtATime = 16

  private func isUpToDate(_ line: BatchIndex.Line, _ job: NamedSource) async -> Bool {
    guard let state = job.state, line.bytes == state.bytes, line.modified == state.modified, line.recipe == recipe,
      line.status == .ready || line.permanent == true, let manifest = try? await store.manifest(id: line.id),
      !manifest.isEmpty
    else { return false }
    for (location, bytes) in line.assets where !(await store.hasAsset(at: location, bytes: bytes)) { return false }
    return true
  }

  /// What the options and this version make of a source: when it changes, everything is prepared again.
  private var recipe: String {
    "\(Profile.version)/\(options.signature)"
  }

  private func run(_ job: NamedSource) async throws -> (BatchIndex.Line, Manifest) {
    let clock = ContinuousClock()
    let start = clock.now
    let outcome: Pipeline.Outcome
    do {
      let source = JobSource(job.location)
      outcome = try await pipeline.run(Job(id: job.id, sources: [source], options: options))
    } catch let reason as Rejection.Reason {
      throw Failure.store(reason)
    }
    let manifest = outcome.manifest
    let line = BatchIndex.Line(
      id: job.id, status: manifest.status, kind: manifest.attachments.first?.asset.type.kind,
      code: manifest.rejections.first?.reason.code, permanent: manifest.rejections.first?.reason.permanent,
      manifest: outcome.location,
      milliseconds: Int((clock.now - start) / .milliseconds(1)), bytes: outcome.state?.bytes,
      modified: outcome.state?.modified, recipe: recipe,
      assets: manifest.attachments.flatMap(\.assets).reduce(into: [:]) { $0[$1.location] = $1.bytes })
    return (line, manifest)
  }
}

/// Creates a folder and those above it, where they are missing. Where that fails, the first write in it says why. Blocks.
package func makeFolders(to path: FilePath) {
  let bytes = path.bytes
  for end in bytes.indices.dropFirst() + [bytes.count] where end == bytes.count || bytes[end] == UInt8(ascii: "/") {
    FilePath(bytes: Array(bytes[..<end])).withCString { _ = mkdir($0, 0o777) }
  }
}
