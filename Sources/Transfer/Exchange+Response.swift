import CCurl
import RichPush

extension Exchange {
  /// Takes one line of a header, its line end included. The header's last line is empty.
  ///
  /// - Returns: whether to go on.
  func take(headerLine line: UnsafeRawBufferPointer) -> Bool {
    response.headerBytes += line.count
    guard response.headerBytes <= request.limits.maximumHeaderBytes else {
      let limit = request.limits.maximumHeaderBytes
      return stop(
        Rejection.Reason(
          .fetchFailed, at: .fetch, "the response header is larger than \(limit) bytes", limit: Double(limit),
          measured: Double(response.headerBytes), permanent: true))
    }
    // After the body come trailers, which say nothing about it.
    guard response.status == nil else { return true }
    let text = String(decoding: line, as: UTF8.self).trimmed
    if text.isEmpty { return endOfHeader() }
    if text.hasPrefix("HTTP/") {
      response.coding = nil
      response.location = nil
      response.contentRange = nil
      response.lengths = []
      response.isFramed = false
      response.headers = ResponseHeaders()
    } else if let colon = text.firstIndex(of: ":") {
      take(field: text[..<colon].lowercased(), String(text[text.index(after: colon)...]).trimmed)
    }
    return true
  }

  private func take(field name: String, _ value: String) {
    response.headers.take(name, value)
    if name == "location", response.location == nil { response.location = value }
    if name == "content-range" { response.contentRange = response.contentRange ?? value }
    if name == "content-length" { response.lengths.formUnion(value.split(separator: ",").map { String($0).trimmed }) }
    if name == "transfer-encoding" { response.isFramed = true }
    guard name == "content-encoding" || name == "transfer-encoding" else { return }
    let plain = name == "content-encoding" ? ["identity", ""] : ["chunked", "identity", ""]
    let codings = value.split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmed.lowercased() }
    if let coding = codings.first(where: { !plain.contains($0) }) { response.coding = coding }
  }

  private func endOfHeader() -> Bool {
    guard let easy else { return false }
    let status = easy.integer(CURLINFO_RESPONSE_CODE)
    // 100 Continue and 103 Early Hints come before the response itself.
    guard status >= 200 else { return true }
    response.status = status
    response.declaredType = easy.string(CURLINFO_CONTENT_TYPE).flatMap(mediaType)
    let length = easy.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    response.declaredBytes = length >= 0 ? length : nil
    guard isSuccess(status) else { return true }
    if let coding = response.coding {
      let name = coding.isToken ? coding : "unknown"
      return stop(
        Rejection.Reason(
          .fetchFailed, at: .fetch,
          "the server sent the body in the coding \(name) though Accept-Encoding: identity was asked for",
          permanent: true))
    }
    guard response.isLengthClear else {
      // Whichever of them libcurl took, a body cut off there would pass for a whole one.
      return stop(
        Rejection.Reason(
          .fetchFailed, at: .fetch, "the server announced lengths of the body that differ or are no number",
          permanent: true))
    }
    do throws(Rejection.Reason) {
      return try status == 206 ? beginPart() : beginWhole()
    } catch {
      return stop(error)
    }
  }

  private var version: BodySink.Version {
    BodySink.Version(
      resource: request.url.text, headers: response.headers, declaredType: response.declaredType)
  }

  private func beginWhole() throws(Rejection.Reason) -> Bool {
    try sink.begin(version, declaredBytes: response.declaredBytes)
    return true
  }

  /// A part that is not what was asked for, or not of the version that is there, is of no use. It may be smaller, but not
  /// so small that a body takes hundreds of requests.
  private func beginPart() throws(Rejection.Reason) -> Bool {
    if request.part == .whole {
      throw Rejection.Reason(
        .fetchFailed, at: .fetch, "the server sent a part of the file though the whole was asked for", permanent: true)
    }
    guard let range = response.contentRange.flatMap(ContentRange.init), let bytes = range.bytes,
      response.declaredBytes.map({ $0 == bytes.count }) ?? true
    else { return refusePart() }
    switch request.part {
    case .whole: return refusePart()
    case .first(let count):
      guard bytes.lowerBound == 0, bytes.count <= count else { return refusePart() }
      try sink.begin(version, first: range, end: bytes.upperBound)
    case .range(let asked, let isStream):
      guard let held = sink.version, bytes.lowerBound == asked.lowerBound, bytes.upperBound <= asked.upperBound,
        held.resource == request.url.text,
        bytes.upperBound >= asked.upperBound || bytes.upperBound == range.total
          || bytes.count >= (isStream ? ExaminationBudget.contiguousBytes : ExaminationBudget.firstBytes),
        response.headers.mayBePart(of: held.headers),
        range.total == nil || sink.total == nil || range.total == sink.total
      else { return refusePart() }
      sink.beginPart(bytes, total: range.total, isStream: isStream)
    }
    return true
  }

  private func refusePart() -> Bool {
    isPartRefused = true
    return false
  }

  /// Takes some bytes of the body.
  ///
  /// - Returns: whether to go on.
  func take(body chunk: UnsafeRawBufferPointer) -> Bool {
    guard let status = response.status else { return false }
    guard isSuccess(status) else {
      response.discarded += chunk.count
      return response.discarded <= Response.maximumDiscarded
    }
    do throws(Rejection.Reason) {
      try sink.append(chunk)
      return true
    } catch {
      return stop(error)
    }
  }

  private func stop(_ reason: Rejection.Reason) -> Bool {
    fault = reason
    return false
  }
}

func isSuccess(_ status: Int) -> Bool {
  (200..<300).contains(status)
}

/// `image/png` of `Image/PNG; charset=x`; nil for what is no media type. It goes into manifests, so it is held short.
private func mediaType(_ contentType: String) -> String? {
  let type = String(contentType.prefix { $0 != ";" }).trimmed.lowercased()
  let parts = type.split(separator: "/", omittingEmptySubsequences: false)
  guard parts.count == 2, parts.allSatisfy({ String($0).isToken }), type.utf8.count <= 127 else { return nil }
  return type
}

extension String {
  /// Without white space and line ends on both sides.
  var trimmed: String {
    let inner = drop(while: \.isWhitespace)
    guard let last = inner.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(inner[...last])
  }

  /// A token as RFC 9110 section 5.6.2 has it, of moderate length.
  fileprivate var isToken: Bool {
    !isEmpty && utf8.count <= 64
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}
