import CVips

/// libvips, started once and set up for a process that decodes strangers' files one at a time.
enum VipsLibrary {
  /// Whether libvips could be started.
  ///
  /// Untrusted loaders (ImageMagick, PDF, SVG …) are blocked for good. Nothing is cached, since no two operations are
  /// alike. One thread does the work, since there is a helper for each core.
  static let isReady: Bool = {
    guard vips_init("enclosure-media") == 0 else { return false }
    vips_block_untrusted_set(1)
    vips_cache_set_max(0)
    vips_concurrency_set(1)
    let allLevels = GLogLevelFlags(rawValue: ~0)
    g_log_set_handler("VIPS", allLevels, ignoreLogMessage, nil)
    return true
  }()
}

/// What libvips warns about is of no use to anybody: the images are strangers'.
private func ignoreLogMessage(
  _ domain: UnsafePointer<CChar>?, _ level: GLogLevelFlags, _ message: UnsafePointer<CChar>?,
  _ context: UnsafeMutableRawPointer?
) {}

/// A failed call of libvips. The message is for people: what failed follows from where it was thrown.
struct VipsFailure: Error, Equatable {
  let message: String

  init(_ message: String) {
    self.message = message
  }

  /// Takes the message out of libvips' error buffer, which belongs to the whole process.
  static func last() -> VipsFailure {
    defer { vips_error_clear() }
    return VipsFailure(errorBuffer: String(cString: vips_error_buffer()))
  }

  /// What a text of libvips' error buffer says.
  init(errorBuffer text: String) {
    var lines = text.split(separator: "\n")
    // A full buffer ends in three dots, and mostly in the middle of the line before them.
    if lines.last == "..." { lines.removeLast(min(2, lines.count)) }
    // Each layer adds its line; the last one to speak is the one that gave up.
    self.init(lines.last.map { String($0.prefix(160)) } ?? "no reason is given")
  }
}
