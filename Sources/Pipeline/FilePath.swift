import Glibc

/// The name of a file or folder as Linux has it: any bytes but NUL, UTF-8 or not.
package struct FilePath: Sendable, Hashable {
  package var bytes: [UInt8]

  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  package init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// The name for people: what is no UTF-8 appears as `\xHH`, so that different names stay different.
  package var description: String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    var rest = bytes[...]
    while let byte = rest.first {
      let character = (1...min(4, rest.count)).lazy
        .compactMap { String(validating: rest.prefix($0), as: UTF8.self) }
        .first
      if let character {
        text += character
        rest = rest.dropFirst(character.utf8.count)
      } else {
        let hex = String(byte, radix: 16, uppercase: true)
        text += "\\x" + (hex.count == 1 ? "0" : "") + hex
        rest = rest.dropFirst()
      }
    }
    return text
  }

  package var lastComponent: FilePath {
    FilePath(bytes: Array(bytes.split(separator: UInt8(ascii: "/")).last ?? []))
  }

  /// What follows the last dot of the last component, in lower case; nil without one.
  package var fileExtension: String? {
    let name = lastComponent.bytes
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0, dot < name.count - 1 else { return nil }
    return String(decoding: name[(dot + 1)...], as: UTF8.self).lowercased()
  }

  package func appending(_ component: [UInt8]) -> FilePath {
    bytes.isEmpty || bytes.last == UInt8(ascii: "/")
      ? FilePath(bytes: bytes + component) : FilePath(bytes: bytes + [UInt8(ascii: "/")] + component)
  }

  /// Calls `body` with the name as C wants it.
  package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    let terminated = bytes.map { CChar(bitPattern: $0) } + [0]
    return terminated.withUnsafeBufferPointer { buffer in
      // Never empty: there is the terminator.
      guard let base = buffer.baseAddress else { return "".withCString(body) }
      return body(base)
    }
  }
}

/// A call on a file or folder failed; holds the `errno` that says why.
package struct FileFailure: Error, Equatable {
  package let errno: Int32

  package init(errno: Int32) {
    self.errno = errno
  }

  package var message: String { String(cString: strerror(errno)) }
}
