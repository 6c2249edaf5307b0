import FoundationEssentials
import Glibc
package import RichPush
import Synchronization

/// `index.jsonl`: a line for each job of a batch.
///
/// While a batch runs, each finished job is appended as one whole line, so that a later run knows what is done however
/// this one ends. At the end the file is replaced by one sorted by id, with one line for each job.
///
/// All calls but `lines` block.
package final class BatchIndex: Sendable {
  package struct Line: Codable, Sendable, Equatable {
    package var id: String
    package var status: Manifest.Status
    /// The kind of the attachment; nil when there is none.
    package var kind: MediaKind?
    /// The code of the rejection; nil when there is none.
    package var code: Rejection.Code?
    /// Whether trying again can not help; nil when nothing was rejected.
    package var permanent: Bool?
    /// The manifest, relative to the store.
    package var manifest: String
    /// How long the job took.
    package var milliseconds: Int
    /// Size in bytes and modification time in nanoseconds since 1970 of the source that was prepared, and the options
    /// it was prepared with: what decides whether the job is up to date.
    package var bytes: Int?
    package var modified: Int?
    package var recipe: String?
    /// Assets that the manifest names, relative to the store, with their sizes in bytes.
    package var assets: [String: Int]

    package init(
      id: String, status: Manifest.Status, kind: MediaKind?, code: Rejection.Code?, permanent: Bool?, manifest: String,
      milliseconds: Int, bytes: Int?, modified: Int?, recipe: String?, assets: [String: Int]
    ) {
      self.id = id
      self.status = status
      self.kind = kind
      self.code = code
      self.permanent = permanent
      self.manifest = manifest
      self.milliseconds = milliseconds
      self.bytes = bytes
      self.modified = modified
      self.recipe = recipe
      self.assets = assets
    }
  }

  private struct State {
    var lines: [String: Line] = [:]
    /// Whether the file ends in a line that was cut off: by a full disk, or with its writer.
    var endsTorn = false
  }

  private let path: FilePath
  private let state: Mutex<State>

  /// The last line of each job, by its id.
  package var lines: [String: Line] { state.withLock(\.lines) }

  /// Reads what an earlier run left. Lines that are not whole are as good as none.
  package init(at path: FilePath) {
    self.path = path
    var found = State()
    let bytes = contents(ofFile: path) ?? []
    found.endsTorn = bytes.last.map { $0 != UInt8(ascii: "\n") } ?? false
    let decoder = JSONDecoder()
    for text in bytes.split(separator: UInt8(ascii: "\n")) {
      if let line = try? decoder.decode(Line.self, from: Data(text)) { found.lines[line.id] = line }
    }
    state = Mutex(found)
  }

  /// Adds a line to the file.
  /// - Throws: why it could not be written.
  package func append(_ line: Line) throws(FileFailure) {
    try state.withLock { (state) throws(FileFailure) in
      state.lines[line.id] = line
      let text = (state.endsTorn ? [UInt8(ascii: "\n")] : []) + (try encoded(line))
      state.endsTorn = true
      let descriptor = path.withCString { open($0, O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0o666) }
      guard descriptor >= 0 else { throw FileFailure(errno: errno) }
      defer { close(descriptor) }
      try write([text], to: descriptor)
      state.endsTorn = false
    }
  }

  /// Replaces the file by the lines of the jobs that there are.
  package func finish(keeping ids: Set<String>) throws(FileFailure) {
    try state.withLock { (state) throws(FileFailure) in
      state.lines = state.lines.filter { ids.contains($0.key) }
      var sorted: [[UInt8]] = []
      for id in state.lines.keys.sorted() {
        if let line = state.lines[id] { sorted.append(try encoded(line)) }
      }
      try replace(by: sorted)
      state.endsTorn = false
    }
  }

  /// Writes a new file and gives it the place of the old one. Two batches may come to this at the same time: the new
  /// file is locked, and who has waited for the lock looks whether the file is still the one of that name.
  private func replace(by lines: [[UInt8]]) throws(FileFailure) {
    let temporary = FilePath(bytes: path.bytes + Array(".new".utf8))
    while true {
      let descriptor = temporary.withCString { open($0, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666) }
      guard descriptor >= 0 else { throw FileFailure(errno: errno) }
      defer { close(descriptor) }
      while flock(descriptor, LOCK_EX) != 0 {
        // A file system without locks has no second batch either, as far as anybody can tell.
        guard errno == EINTR else { break }
      }
      guard isFile(descriptor, at: temporary) else { continue }
      guard ftruncate(descriptor, 0) == 0 else { throw FileFailure(errno: errno) }
      try write(lines, to: descriptor)
      guard fsync(descriptor) == 0 else { throw FileFailure(errno: errno) }
      let renamed = temporary.withCString { from in path.withCString { to in rename(from, to) } }
      guard renamed == 0 else { throw FileFailure(errno: errno) }
      return
    }
  }

  private func isFile(_ descriptor: Int32, at path: FilePath) -> Bool {
    var (held, named) = (stat(), stat())
    return fstat(descriptor, &held) == 0 && path.withCString { stat($0, &named) } == 0
      && held.st_ino == named.st_ino && held.st_dev == named.st_dev
  }

  private func encoded(_ line: Line) throws(FileFailure) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return Array(try encoder.encode(line)) + [UInt8(ascii: "\n")]
    } catch {
      throw FileFailure(errno: EILSEQ)
    }
  }

  /// One call for each line: a line that is there is whole, unless the disk is full.
  private func write(_ lines: [[UInt8]], to descriptor: Int32) throws(FileFailure) {
    for line in lines {
      var rest = line[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else {
          if count < 0 && errno == EINTR { continue }
          throw FileFailure(errno: count == 0 ? ENOSPC : errno)
        }
        rest = rest.dropFirst(count)
      }
    }
  }
}

private func contents(ofFile path: FilePath) -> [UInt8]? {
  let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC) }
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { return nil }
  var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
  var filled = 0
  while filled < bytes.count {
    let count = bytes.withUnsafeMutableBytes { buffer in
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      return pread(descriptor, room.baseAddress, room.count, off_t(filled))
    }
    guard count > 0 else { break }
    filled += count
  }
  return Array(bytes.prefix(filled))
}
