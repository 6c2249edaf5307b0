import Blocking
import FoundationEssentials
import Glibc
import Pipeline
import RichPush

/// Job documents in a file or what comes through a pipe: one, or one on each line.
///
/// Which it is shows in the lines themselves (`JobBeginning`), so that a line that is broken spoils none of the others.
struct JobInput {
  /// A document, not looked at yet.
  struct Piece: Equatable {
    /// Where it came from, for messages: `jobs.jsonl, line 12`.
    let place: String
    /// Longer than `JobDocument.maximumBytes` where the document is; the rest of it is left out.
    let bytes: [UInt8]
  }

  private let name: String
  private let read: @Sendable () throws -> [UInt8]
  /// nil as long as it does not show.
  private var form: JobBeginning.Form?
  /// What has come as long as it does not.
  private var beginning = JobBeginning()
  /// The number of the last line that was whole.
  private var line = 0
  /// What has been read of a line or document that is not whole yet.
  private var rest: [UInt8] = []
  private var isAtEnd = false

  /// - Parameters:
  ///   - name: what messages call it.
  ///   - areLines: whether it is known beforehand that each line is a document.
  ///   - read: gives the next bytes, none at the end. It may block.
  init(name: String, areLines: Bool = false, read: @escaping @Sendable () throws -> [UInt8]) {
    self.name = name
    form = areLines ? .lines : nil
    self.read = read
  }

  /// The documents that have come since: as many as the next bytes complete, so that none waits for others.
  /// - Returns: nil at the end.
  mutating func next() async throws -> [Piece]? {
    while !isAtEnd {
      let read = read
      let bytes = try await blocking { () throws(any Error) in try read() }
      if bytes.isEmpty { isAtEnd = true }
      let pieces = take(bytes)
      if !pieces.isEmpty { return pieces }
    }
    return nil
  }

  private mutating func take(_ bytes: [UInt8]) -> [Piece] {
    var pieces: [Piece] = []
    var left = bytes[...]
    while form != .single, let end = left.firstIndex(of: newline) {
      keep(left[..<end])
      left = left[(end + 1)...]
      pieces += takeLine(endsWithNewline: true)
    }
    keep(left)
    return isAtEnd ? pieces + takeEnd() : pieces
  }

  /// What is in `rest` is a line.
  private mutating func takeLine(endsWithNewline: Bool) -> [Piece] {
    let bytes = rest
    rest = []
    line += 1
    if form == .lines { return isBlank(bytes) ? [] : [Piece(place: place(line), bytes: bytes)] }
    guard !beginning.lines.isEmpty || !isBlank(bytes) else { return [] }
    return beginning.add(bytes).map { decide($0, endsWithNewline: endsWithNewline) } ?? []
  }

  private mutating func takeEnd() -> [Piece] {
    var pieces: [Piece] = []
    let isOpen = !isBlank(rest)
    if !isOpen { rest = [] }
    // A single line without an end is a document either way, and needs no number.
    if isOpen, form == .lines || !beginning.lines.isEmpty { pieces += takeLine(endsWithNewline: false) }
    if form == nil, !beginning.lines.isEmpty { pieces += decide(beginning.formAtEnd, endsWithNewline: !isOpen) }
    if !rest.isEmpty { pieces.append(Piece(place: name, bytes: rest)) }
    rest = []
    return pieces
  }

  private mutating func decide(_ decided: JobBeginning.Form, endsWithNewline: Bool) -> [Piece] {
    form = decided
    let lines = beginning.lines
    defer { beginning = JobBeginning() }
    if decided == .single {
      keep((beginning.document + (endsWithNewline ? [newline] : []))[...])
      return []
    }
    return lines.enumerated().compactMap { index, bytes in
      isBlank(bytes) ? nil : Piece(place: place(line - lines.count + index + 1), bytes: bytes)
    }
  }

  private func place(_ line: Int) -> String { "\(name), line \(line)" }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    rest += bytes.prefix(max(0, JobDocument.maximumBytes + 1 - rest.count))
  }
}

extension FilePath {
  /// Whether the name says that there is a document on each line.
  var namesLines: Bool { ["jsonl", "ndjson"].contains(fileExtension) }
}

/// The first lines of job documents, of which it does not show yet whether they are one document, or one each.
///
/// One document on several lines begins with a line that is no JSON yet, but may become it. So does a line whose end is
/// missing. Then a job on a line of its own that does not go on with what came before shows that these are lines.
struct JobBeginning {
  enum Form {
    case lines, single
  }

  /// From the first on that is not blank.
  private(set) var lines: [[UInt8]] = []
  private var bytes = 0
  /// Whether a line behind the first is a job by itself.
  private var hasJob = false
  /// How often a line that is a job was looked at together with all before it.
  private var looks = 0
  private static let maximumLooks = 16

  /// All of it as one document.
  var document: [UInt8] { Array(lines.joined(separator: [newline])) }

  /// - Returns: what it is, when that shows now.
  mutating func add(_ line: [UInt8]) -> Form? {
    lines.append(line)
    bytes += line.count + 1
    if lines.count == 1 {
      guard line.count <= JobDocument.maximumBytes, let error = syntaxError(of: line) else { return .lines }
      // No value but an object or an array goes on on another line, and the parser misses what it should go on with.
      return error.column > line.count ? nil : .lines
    }
    if isJob(line) {
      hasJob = true
      looks += 1
      // An array of jobs, most likely: what follows would be read again and again.
      guard looks <= Self.maximumLooks else { return .single }
      if !goesOn(line) { return .lines }
    }
    return bytes > JobDocument.maximumBytes ? (hasJob ? .lines : .single) : nil
  }

  /// What it is when nothing follows.
  var formAtEnd: Form { hasJob && syntaxError(of: document) != nil ? .lines : .single }

  /// Whether the last line can be a part of what the ones before it began.
  private func goesOn(_ line: [UInt8]) -> Bool {
    guard let error = syntaxError(of: document) else { return true }
    let start = line.prefix { isBlank([$0]) }.count + 1
    return error.line == lines.count && error.column > start
  }

  private func isJob(_ line: [UInt8]) -> Bool {
    guard line.first(where: { !isBlank([$0]) }) == UInt8(ascii: "{"),
      case .object(let members) = try? JSONValue(parsing: line)
    else { return false }
    return members["id"] != nil && members["sources"] != nil
  }

  private func syntaxError(of bytes: [UInt8]) -> JSONSyntaxError? {
    do throws(JSONSyntaxError) {
      _ = try JSONValue(parsing: bytes)
      return nil
    } catch {
      return error
    }
  }
}

private let newline = UInt8(ascii: "\n")

private func isBlank(_ bytes: [UInt8]) -> Bool {
  bytes.allSatisfy { [0x20, 0x09, 0x0D, 0x0A].contains($0) }
}
