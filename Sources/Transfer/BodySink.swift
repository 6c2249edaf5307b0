import Digest
import Glibc
import RichPush

/// Where a body goes as it arrives: into the spool file, up to the limit of its kind, hashed on the way.
///
/// It holds what has come of one version of a body, over all requests of a download: a stream that breaks off is
/// resumed, parts are added where they belong, and a response with another version starts it over.
///
/// `@unchecked Sendable`: between requests it belongs to the task that downloads, while one runs to the transfer
/// thread. Only `progress`, which locks, is for both at once.
final class BodySink: @unchecked Sendable {
  /// The version that the bytes are of.
  struct Version {
    /// The URL with its query: an entity tag says nothing about another one's versions. Not for messages.
    var resource: String
    var headers: ResponseHeaders
    var declaredType: String?
  }

  /// The caller's, and only written at given offsets: a helper may share the open file and with it the file position.
  let descriptor: Int32
  private let limit: @Sendable (DownloadHead) -> Int
  private let overallMaximum: Int
  /// Whether somebody looks at a video before its size counts.
  private let isExamined: Bool
  let hold: BytesInFlight.Hold
  let progress: BodyProgress

  private(set) var version: Version?
  /// Whether the version came as one stream from its start: the server did not send parts, or was not asked to.
  private(set) var cameWhole = false
  /// The limit so far: the one for everything, until the kind is known.
  private var maximumBytes: Int
  private var kind: MediaKind?
  private var head = DownloadHead(firstBytes: [])
  private var isHeadKnown = false
  private(set) var available = ByteRanges()
  /// The size of the whole, where the server has said it or the body has ended.
  private(set) var total: Int?
  private var digest = SHA256()
  /// How many bytes from the first one are in `digest`.
  private var hashed = 0

  /// When the version was asked for, in seconds since 1970.
  var requested = 0.0

  // The response that is being received.
  /// The offset of its next byte.
  private var position = 0
  /// The offset at which it must end; nil where only its end tells.
  private var end: Int?
  /// Bytes of this response, whether or not they are written yet.
  private(set) var received = 0
  /// Whether the transfer was stopped because there is no room for more bytes now.
  private(set) var isPostponed = false

  init(
    descriptor: Int32, maximumBytes: Int, isExamined: Bool, hold: BytesInFlight.Hold,
    limit: @escaping @Sendable (DownloadHead) -> Int
  ) {
    self.descriptor = descriptor
    overallMaximum = maximumBytes
    self.maximumBytes = maximumBytes
    self.isExamined = isExamined
    self.hold = hold
    self.limit = limit
    progress = BodyProgress()
  }

  /// Forgets everything, and empties the file. One that cannot be emptied because it is a device is let be.
  func reset() throws(Rejection.Reason) {
    version = nil
    cameWhole = false
    maximumBytes = overallMaximum
    kind = nil
    head = DownloadHead(firstBytes: [])
    isHeadKnown = false
    available = ByteRanges()
    total = nil
    digest = SHA256()
    hashed = 0
    isPostponed = false
    hold.empty()
    progress.reset()
    while ftruncate(descriptor, 0) != 0 {
      if errno == EINVAL { return }
      if errno != EINTR { throw Self.spoolFault(errno) }
    }
  }

  /// Another request begins; nothing of its response is there.
  func beginRequest() {
    received = 0
    isPostponed = false
    progress.beginRequest()
  }

  /// The header of a response with a whole body follows: what was there is of another version.
  func begin(_ version: Version, declaredBytes: Int?) throws(Rejection.Reason) {
    try reset()
    self.version = version
    cameWhole = true
    (position, end, total) = (0, declaredBytes, declaredBytes)
    head.declaredType = version.declaredType
    head.declaredBytes = declaredBytes
    progress.beginStream()
    if !isExamined { try requireFit() }
  }

  /// The header of a response with the first bytes of a body.
  func begin(_ version: Version, first range: ContentRange, end: Int) throws(Rejection.Reason) {
    try reset()
    self.version = version
    (position, self.end, total) = (0, end, range.total)
    head.declaredType = version.declaredType
    head.declaredBytes = range.total
    if !isExamined { try requireFit() }
  }

  /// The header of a response with more bytes of the version that is there.
  func beginPart(_ bytes: Range<Int>, total: Int?, isStream: Bool) {
    (position, end) = (bytes.lowerBound, bytes.upperBound)
    self.total = self.total ?? total
    if isStream { progress.beginStream() }
  }

  func append(_ chunk: UnsafeRawBufferPointer) throws(Rejection.Reason) {
    received += chunk.count
    if isHeadKnown {
      try write(chunk)
      return
    }
    let missing = DownloadHead.length - head.firstBytes.count
    head.firstBytes += chunk.prefix(missing)
    guard head.firstBytes.count == DownloadHead.length else { return }
    try finishHead()
    try write(UnsafeRawBufferPointer(rebasing: chunk.dropFirst(missing)))
  }

  /// No more bytes of this response come. A body shorter than a head is judged and written now.
  ///
  /// - Returns: false when the response ended before it should have.
  func endResponse() throws(Rejection.Reason) -> Bool {
    if !isHeadKnown, received > 0 { try finishHead() }
    if end == nil, total == nil { total = position }
    return end.map { position >= $0 } ?? true
  }

  /// Whether the whole body is in the file.
  var isComplete: Bool {
    total.map { available.contiguous >= $0 && $0 > 0 } ?? false
  }

  /// SHA-256 of the whole body in lower-case hex, nil when it did not come in order. Nothing may be added afterwards.
  func finishHash() -> String? {
    isComplete && hashed == total ? digest.finish() : nil
  }

  /// Refuses a body whose announced size is over the limit.
  func requireFit() throws(Rejection.Reason) {
    guard let total, total > maximumBytes else { return }
    throw tooLarge("the server announces \(total) bytes", measured: total)
  }

  /// Whether an examiner is asked about this body.
  var isExaminable: Bool {
    isExamined && isHeadKnown && kind == .video && total ?? 0 <= ExaminationBudget.largestVideo
  }

  func partialBody(canFetchRanges: Bool) -> PartialBody {
    PartialBody(
      head: head, available: progress.available, totalBytes: total ?? head.declaredBytes,
      canFetchRanges: canFetchRanges)
  }

  private func finishHead() throws(Rejection.Reason) {
    isHeadKnown = true
    kind = head.probableKind
    if head.isHTML { throw .notMedia("an HTML page", at: .fetch) }
    maximumBytes = min(overallMaximum, limit(head))
    if !isExaminable { try requireFit() }
    let result = head.firstBytes.withUnsafeBytes { bytes in
      Result { () throws(Rejection.Reason) in try write(bytes) }
    }
    try result.get()
    progress.headIsKnown(isExaminable: isExaminable, body: partialBody(canFetchRanges: false))
  }

  private func write(_ chunk: UnsafeRawBufferPointer) throws(Rejection.Reason) {
    guard !chunk.isEmpty else { return }
    let range = position..<position + chunk.count
    try check(range)
    guard hold.take(chunk.count) else {
      isPostponed = true
      throw Rejection.Reason(.fetchFailed, at: .fetch, "there is no room for more downloads now")
    }
    var rest = chunk[...]
    while !rest.isEmpty {
      let count = pwrite(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, position)
      if count > 0 {
        position += count
        rest = rest.dropFirst(count)
      } else if count == 0 || errno != EINTR {
        throw Self.spoolFault(count == 0 ? ENOSPC : errno)
      }
    }
    if range.contains(hashed) {
      digest.update(UnsafeRawBufferPointer(rebasing: chunk.dropFirst(hashed - range.lowerBound)))
      hashed = range.upperBound
    }
    available.insert(range)
    progress.update(available)
  }

  private func check(_ range: Range<Int>) throws(Rejection.Reason) {
    if let end, range.upperBound > end {
      throw Rejection.Reason(
        .fetchFailed, at: .fetch, "the server sent more bytes than it announced", permanent: true)
    }
    guard range.upperBound > maximumBytes || total ?? 0 > maximumBytes else { return }
    // Of a video that is examined, some bytes may come although all would be too many.
    if let total, total > maximumBytes {
      guard isExaminable, progress.isStream ? range.upperBound <= ExaminationBudget.probationBytes : true else {
        return try requireFit()
      }
      return
    }
    throw tooLarge("the body has more than \(maximumBytes) bytes", measured: range.upperBound)
  }

  private func tooLarge(_ finding: String, measured: Int) -> Rejection.Reason {
    let subject = kind.map { ($0 == .video ? "a " : "an ") + $0.rawValue } ?? "a file"
    return Rejection.Reason(
      .tooLarge, at: .fetch, "\(finding); at most \(maximumBytes) are fetched of \(subject)",
      limit: Double(maximumBytes), measured: Double(measured))
  }

  private static func spoolFault(_ code: Int32) -> Rejection.Reason {
    let message =
      code == ENOSPC || code == EDQUOT
      ? "the spool is full" : "the spool file cannot be written: \(systemMessage(code))"
    return Rejection.Reason(.storeFailed, at: .fetch, message)
  }
}

/// The system's text for an error number, beginning in lower case.
func systemMessage(_ code: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 128)
  guard strerror_r(code, &buffer, buffer.count - 1) == 0 else { return "error \(code)" }
  let text = buffer.withUnsafeBufferPointer { $0.baseAddress.flatMap { String(validatingCString: $0) } } ?? ""
  return text.prefix(1).lowercased() + text.dropFirst()
}
