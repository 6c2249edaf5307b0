import CFFmpeg
import RichPush

/// What FFmpeg's libraries call one of their error codes, in lower case and without a full stop.
func libavDescription(of code: Int32) -> String {
  var text = [CChar](repeating: 0, count: 128)
  guard av_strerror(code, &text, text.count) == 0 else { return "error \(code)" }
  let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  return String(decoding: bytes, as: UTF8.self).lowercased()
}

/// FFmpeg's libraries write complaints about bad input to standard error by default. Nobody reads them there.
enum LibavLog {
  static func silence() {
    _ = silenced
  }

  private static let silenced: Void = av_log_set_level(AV_LOG_QUIET)
}

/// Out of memory is the machine's trouble, not the source's.
func libavOutOfMemory(at stage: Rejection.Stage) -> Rejection.Reason {
  Rejection.Reason(.decoderMemory, at: stage, "the memory for reading the source could not be had")
}
