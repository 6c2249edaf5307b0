import Blocking
import FoundationEssentials
import Glibc
import Pipeline
import RichPush

/// Job documents in a file or what comes through a pipe: one, or one on each line.
///
/// Which it is shows in the first line: that of one document on several lines is no JSON by itself.
struct JobInput {
  /// A document, not looked at yet.
  struct Piece: Equatable {
    /// Where it came from, for messages: `jobs.jsonl, line 12`.
    let place: String
    /// Longer than `JobDocument.maximumBytes` where the document is; the rest of it is left out.
    let bytes: [UInt8]
  }

  private enum Form {
    case unknown, lines, single
  }

  private let name: String
  private let read: @Sendable () throws -> [UInt8]
  private var form = Form.unknown
  private var line = 0
  /// What has been read of a line or document that is not whole yet.
  private var rest: [UInt8] = []
  private var isAtEnd = false

  /// - Parameters:
  ///   - name: what messages call it.
  ///   - read: gives the next bytes, none at the end. It may block.
  init(name: String, read: @escaping @Sendable () throws -> [UInt8]) {
    self.name = name
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
      line += 1
      if form == .unknown, !isBlank(rest) {
        form = isJSON(rest) ? .lines : .single
        if form == .single {
          rest.append(newline)
          continue
        }
      }
      if !isBlank(rest) { pieces.append(Piece(place: "\(name), line \(line)", bytes: rest)) }
      rest = []
    }
    keep(left)
    guard isAtEnd, !isBlank(rest) else { return pieces }
    line += 1
    pieces.append(Piece(place: form == .lines ? "\(name), line \(line)" : name, bytes: rest))
    rest = []
    return pieces
  }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    rest += bytes.prefix(max(0, JobDocument.maximumBytes + 1 - rest.count))
  }

  private func isJSON(_ bytes: [UInt8]) -> Bool {
    (try? JSONValue(parsing: bytes)) != nil
  }
}

private let newline = UInt8(ascii: "\n")

private func isBlank(_ bytes: [UInt8]) -> Bool {
  bytes.allSatisfy { [0x20, 0x09, 0x0D, 0x0A].contains($0) }
}
