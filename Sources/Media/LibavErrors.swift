import CFFmpeg
import RichPush

/// What FFmpeg's libraries call an error code of the system, in lower case and without a full stop. For what is wrong
/// with data, see `libavComplaint(about:)`.
func libavDescription(of code: Int32) -> String {
  var text = [CChar](repeating: 0, count: 128)
  guard av_strerror(code, &text, text.count) == 0 else { return "error \(code)" }
  let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  return String(decoding: bytes, as: UTF8.self).lowercased()
}

/// What is wrong with data that FFmpeg's libraries turned down with one of their error codes, as the end of a sentence
/// about it. Their own names of these codes are about calls, and say nothing to whoever sent the file.
func libavComplaint(about code: Int32) -> String {
  switch code {
  case enclosure_av_eof: "it ends too early"
  case enclosure_av_io: "it breaks off"
  case enclosure_av_patch_welcome, enclosure_av_not_implemented, enclosure_av_experimental:
    "it uses something that FFmpeg's libraries do not know"
  case enclosure_av_invalid_argument, enclosure_av_out_of_range: "its numbers make no sense"
  // Some decoders say no more than -1, which is the number of "operation not permitted".
  case enclosure_av_invalid_data, enclosure_av_not_permitted: "its bytes make no sense"
  default: "FFmpeg's libraries failed with error \(code)"
  }
}

/// Whether an error code says that the data use what the libraries do not know, and not that they are damaged.
func isUnknownToLibav(_ code: Int32) -> Bool {
  [enclosure_av_patch_welcome, enclosure_av_not_implemented, enclosure_av_experimental].contains(code)
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
