import PercentEncoding
package import Preparation
package import RichPush

extension JobDocument {
  /// Reads a job's JSON.
  /// - Throws: a `Fault`; without a field when the bytes are no JSON at all.
  package init(json bytes: [UInt8]) throws(Fault) {
    guard bytes.count <= Self.maximumBytes else {
      throw Fault(nil, "has \(bytes.count) bytes; at most \(Self.maximumBytes) are read")
    }
    guard String(validating: bytes, as: UTF8.self) != nil else { throw Fault(nil, "is not in UTF-8") }
    let json: JSONValue
    do throws(JSONSyntaxError) {
      // A decoder would round the numbers of the payload, and takes minutes for many levels.
      json = try JSONValue(parsing: bytes)
    } catch {
      // Of a document on a single line, others say which line that is.
      let line = bytes.contains(UInt8(ascii: "\n")) ? "line \(error.line), " : ""
      throw Fault(nil, "is not JSON: \(line)column \(error.column): \(error.message)")
    }
    try self.init(json)
  }
}

extension Job {
  /// A job as its document asks for it.
  /// - Parameter defaults: what counts where the document says nothing.
  package init(_ document: JobDocument, defaults: PreparationOptions) throws(JobDocument.Fault) {
    var sources: [JobSource] = []
    for (index, source) in document.sources.enumerated() {
      let field = "sources[\(index)]"
      sources.append(JobSource(try sourceLocation(of: source.url, field: field), identifier: source.identifier))
    }
    self.init(
      id: document.id, sources: sources, payload: document.payload,
      options: PreparationOptions(
        fit: document.options.fit ?? defaults.fit, overlong: document.options.overlong ?? defaults.overlong),
      thumbnailHidden: document.options.thumbnailHidden ?? false,
      thumbnailClippingRect: document.options.thumbnailClippingRect)
  }
}

/// What a URL of a job names: a file by `file:///path` (RFC 8089), all else over the network.
func sourceLocation(of url: String, field: String) throws(JobDocument.Fault) -> JobSource.Location {
  guard url.prefix(5).lowercased() == "file:" else { return .url(url) }
  var path = url.dropFirst(5)
  if path.hasPrefix("//") {
    path = path.dropFirst(2)
    let host = path.prefix { $0 != "/" }
    guard host.isEmpty || host.lowercased() == "localhost" else {
      throw JobDocument.Fault(field, "names a file of another host; file:///path names one of the worker's")
    }
    path = path.dropFirst(host.count)
  }
  guard path.hasPrefix("/"), !path.contains("?"), !path.contains("#"), let bytes = percentDecoded(path),
    !bytes.contains(0)
  else {
    throw JobDocument.Fault(field, "is no file URL with an absolute path, such as file:///srv/media/a%20b.jpg")
  }
  return .file(FilePath(bytes: bytes))
}
