extension FaultyOrigin {
  /// Answers as a server does that sends parts: to Range, unless If-Range names another version.
  package static func ranged(
    _ request: Request, body: [UInt8], etag: String? = "\"v1\"", fields: [String] = []
  ) -> [Step] {
    let fields = fields + (etag.map { ["ETag: \($0)"] } ?? [])
    guard let range = request.range(of: body.count), request["if-range"].map({ $0 == etag }) ?? true else {
      return response(200, fields, body: body)
    }
    guard !range.isEmpty else { return response(416, ["Content-Range: bytes */\(body.count)"]) }
    return response(
      206, fields + ["Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)"],
      body: Array(body[range]))
  }

  /// The header of a part and what comes of it before the connection breaks.
  package static func brokenPart(
    _ range: Range<Int>, of total: Int, sending bytes: [UInt8], etag: String = "\"v1\""
  ) -> [Step] {
    response(
      206, ["ETag: \(etag)", "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"],
      length: range.count) + [.send(bytes), .close]
  }
}

extension FaultyOrigin.Request {
  /// The part of a body of so many bytes that is asked for, empty when it lies behind its end; nil when no part is.
  package func range(of total: Int) -> Range<Int>? {
    guard let field = self["range"], field.hasPrefix("bytes=") else { return nil }
    let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard ends.count == 2, let first = ends[0] else { return nil }
    guard first < total else { return 0..<0 }
    return first..<min(total, (ends[1] ?? total) + 1)
  }
}
