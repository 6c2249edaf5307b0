/// What an S3 server says of an error: an XML document of one level.
struct S3ErrorDocument: Sendable, Equatable {
  /// Like `NoSuchBucket`.
  let code: String
  /// Where the bucket is, when that is the trouble.
  let region: String?

  /// nil for anything that is no such document: then the answer is not an S3 server's own.
  init?(_ body: [UInt8]) {
    let text = String(decoding: body.prefix(64 << 10), as: UTF8.self)
    guard text.contains("<Error"), let code = Self.element("Code", of: text), code.isToken else { return nil }
    self.code = code
    region = Self.element("Region", of: text).flatMap { $0.isToken ? $0 : nil }
  }

  private static func element(_ name: String, of text: String) -> String? {
    guard let start = text.firstRange(of: "<\(name)>"),
      let end = text[start.upperBound...].firstRange(of: "</\(name)>")
    else { return nil }
    return String(text[start.upperBound..<end.lowerBound])
  }
}

extension String {
  /// Whether it can stand in a message: a short word of letters, digits, dots and hyphens.
  var isToken: Bool {
    !isEmpty && utf8.count <= 64
      && utf8.allSatisfy {
        (0x30...0x39) ~= $0 || (0x41...0x5A) ~= $0 || (0x61...0x7A) ~= $0 || $0 == UInt8(ascii: "-")
          || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
      }
  }
}
