import Glibc
import RichPush

/// Where a body goes as it arrives: into the spool file, up to the limit of its kind.
///
/// The place for what else has to see the bytes on their way (a hash, a reader that waits for them).
struct BodySink {
  /// The caller's, and only written at given offsets: a helper may share the open file and with it the file position.
  private let descriptor: Int32
  private let limit: @Sendable (DownloadHead) -> Int
  /// The limit so far: the one for everything, until the kind is known.
  private var maximumBytes: Int
  private var kind: MediaKind?
  private var head: DownloadHead
  private var isHeadKnown = false
  /// How many bytes were given so far, whether or not they are written yet.
  private(set) var bytes = 0
  private var written = 0

  init(descriptor: Int32, maximumBytes: Int, limit: @escaping @Sendable (DownloadHead) -> Int) {
    self.descriptor = descriptor
    self.maximumBytes = maximumBytes
    self.limit = limit
    head = DownloadHead(firstBytes: [])
  }

  /// Empties the file. One that cannot be emptied because it is a device is let be.
  func reset() throws(Rejection.Reason) {
    while ftruncate(descriptor, 0) != 0 {
      if errno == EINVAL { return }
      if errno != EINTR { throw Self.spoolFault(errno) }
    }
  }

  /// The header of the response whose body follows.
  mutating func begin(declaredType: String?, declaredBytes: Int?) throws(Rejection.Reason) {
    head.declaredType = declaredType
    head.declaredBytes = declaredBytes
    try checkDeclaredLength()
  }

  mutating func append(_ chunk: UnsafeRawBufferPointer) throws(Rejection.Reason) {
    bytes += chunk.count
    if isHeadKnown {
      try checkLength()
      try write(chunk)
      return
    }
    let missing = DownloadHead.length - head.firstBytes.count
    head.firstBytes += chunk.prefix(missing)
    guard head.firstBytes.count == DownloadHead.length else { return }
    try finishHead()
    try write(UnsafeRawBufferPointer(rebasing: chunk.dropFirst(missing)))
  }

  /// No more bytes come. A body shorter than a head is judged and written now.
  mutating func end() throws(Rejection.Reason) {
    if !isHeadKnown { try finishHead() }
  }

  private mutating func finishHead() throws(Rejection.Reason) {
    isHeadKnown = true
    kind = head.probableKind
    maximumBytes = min(maximumBytes, limit(head))
    try checkDeclaredLength()
    try checkLength()
    let result = head.firstBytes.withUnsafeBytes { bytes in
      Result { () throws(Rejection.Reason) in try write(bytes) }
    }
    try result.get()
  }

  private func checkDeclaredLength() throws(Rejection.Reason) {
    guard let declared = head.declaredBytes, declared > maximumBytes else { return }
    throw tooLarge("the server announces \(declared) bytes", measured: declared)
  }

  private func checkLength() throws(Rejection.Reason) {
    guard bytes > maximumBytes else { return }
    throw tooLarge("the body has more than \(maximumBytes) bytes", measured: bytes)
  }

  private func tooLarge(_ finding: String, measured: Int) -> Rejection.Reason {
    let subject = kind.map { ($0 == .video ? "a " : "an ") + $0.rawValue } ?? "a file"
    return Rejection.Reason(
      .tooLarge, at: .fetch, "\(finding); at most \(maximumBytes) are fetched of \(subject)",
      limit: Double(maximumBytes), measured: Double(measured))
  }

  private mutating func write(_ chunk: UnsafeRawBufferPointer) throws(Rejection.Reason) {
    var rest = chunk[...]
    while !rest.isEmpty {
      let count = pwrite(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, written)
      if count > 0 {
        written += count
        rest = rest.dropFirst(count)
      } else if count == 0 || errno != EINTR {
        throw Self.spoolFault(count == 0 ? ENOSPC : errno)
      }
    }
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
