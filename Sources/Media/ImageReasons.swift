import Preparation
import RichPush

/// Why a picture could not be decoded. Whether it is cut or broken shows in the file's structure, not in the decoder's words.
func decodingReason(
  _ failure: VipsFailure, of source: MediaFile, format: MediaFormat, at stage: Rejection.Stage
) -> Rejection.Reason {
  if isCutShort(source, format: format) {
    return Rejection.Reason(.truncated, at: stage, "the \(format.rawValue) file ends before its picture does")
  }
  return Rejection.Reason(.corrupt, at: stage, "the \(format.rawValue) file cannot be decoded: \(failure.message)")
}

/// Whether a file ends before its own structure says so.
func isCutShort(_ source: MediaFile, format: MediaFormat) -> Bool {
  switch format {
  case .jpeg: JPEGStructure.isCutShort(source)
  case .png, .apng: PNGStructure(source).isCutShort
  case .gif: false
  case .webp: riffIsCutShort(source)
  case .heif, .avif: boxesAreCutShort(source)
  default: false
  }
}

private func riffIsCutShort(_ source: MediaFile) -> Bool {
  var window = FileWindow(source)
  guard let size = window.littleEndian32(at: 4) else { return true }
  return size + 8 > source.bytes
}
