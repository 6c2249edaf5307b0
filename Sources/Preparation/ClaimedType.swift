/// What a name or a Content-Type promises about a file. It decides nothing; it is compared with the bytes for a warning.
package struct ClaimedType: Sendable, Equatable {
  private let formats: Set<MediaFormat>

  /// - Parameter fileExtension: without its dot, in lower case.
  /// - Returns: nil for an extension that promises nothing.
  package init?(fileExtension: String) {
    guard let formats = Self.byExtension[fileExtension] else { return nil }
    self.formats = formats
  }

  /// - Parameter contentType: a media type in lower case, without parameters.
  /// - Returns: nil for a type that promises nothing, such as `application/octet-stream`.
  package init?(contentType: String) {
    if let formats = Self.byContentType[contentType] {
      self.formats = formats
    } else if contentType == "text/html" || contentType == "application/json" || contentType == "text/plain" {
      formats = []
    } else {
      return nil
    }
  }

  /// Whether a file of this format keeps the promise.
  package func allows(_ format: MediaFormat) -> Bool {
    formats.contains(format)
  }

  // ISO media files are told apart by their brand, and many tools write any of them under any of their names.
  private static let isoMedia: Set<MediaFormat> = [.mp4, .mov]
  private static let matroska: Set<MediaFormat> = [.matroska, .webm]
  private static let heif: Set<MediaFormat> = [.heif, .avif]

  private static let byExtension: [String: Set<MediaFormat>] = [
    "jpg": [.jpeg], "jpeg": [.jpeg], "jpe": [.jpeg], "jfif": [.jpeg], "mpo": [.jpeg],
    "png": [.png, .apng], "apng": [.png, .apng], "gif": [.gif], "webp": [.webp],
    "heic": heif, "heif": heif, "hif": heif, "avif": [.avif], "tif": [.tiff], "tiff": [.tiff],
    "bmp": [.bmp], "ico": [.ico], "psd": [.psd], "jp2": [.jpeg2000], "jxl": [.jpegXL],
    "mp4": isoMedia, "m4v": isoMedia, "m4a": isoMedia, "mov": isoMedia, "3gp": isoMedia,
    "mkv": matroska, "webm": matroska, "avi": [.avi], "ts": [.mpegTS], "mpg": [.mpegPS, .mpegVideo],
    "mpeg": [.mpegPS, .mpegVideo], "mp3": [.mp3], "wav": [.wav], "aif": [.aiff], "aiff": [.aiff],
    "ogg": [.ogg], "oga": [.ogg], "ogv": [.ogg], "opus": [.ogg], "flac": [.flac], "aac": [.adts],
    "html": [], "htm": [], "txt": [], "json": [], "xml": [], "svg": [], "pdf": [], "zip": [],
  ]

  private static let byContentType: [String: Set<MediaFormat>] = [
    "image/jpeg": [.jpeg], "image/jpg": [.jpeg], "image/pjpeg": [.jpeg], "image/png": [.png, .apng],
    "image/apng": [.png, .apng], "image/gif": [.gif], "image/webp": [.webp], "image/heic": heif, "image/heif": heif,
    "image/avif": [.avif], "image/tiff": [.tiff], "image/bmp": [.bmp], "video/mp4": isoMedia,
    "video/quicktime": isoMedia, "video/x-m4v": isoMedia, "audio/mp4": isoMedia, "audio/x-m4a": isoMedia,
    "video/webm": matroska, "audio/webm": matroska, "video/x-matroska": matroska, "audio/mpeg": [.mp3],
    "audio/wav": [.wav], "audio/x-wav": [.wav], "audio/aiff": [.aiff], "audio/x-aiff": [.aiff],
    "audio/ogg": [.ogg], "video/ogg": [.ogg], "audio/flac": [.flac], "audio/aac": [.adts],
    "video/mpeg": [.mpegPS, .mpegVideo], "video/mp2t": [.mpegTS], "video/x-msvideo": [.avi],
  ]
}
