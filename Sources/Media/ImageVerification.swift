import Preparation
import RichPush

/// Decodes a prepared image to its last pixel and holds it against what it is meant to be.
func verifyImage(_ file: MediaFile, _ expected: PreparedFile) throws(Rejection.Reason) {
  guard file.bytes == expected.bytes else {
    throw differs("bytes", file.bytes, expected.bytes)
  }
  try requireAttachable(file, expected.type)
  switch expected.type {
  case .jpeg: try verifyJPEG(file, expected)
  case .png: try verifyPNG(file, expected)
  case .gif: try verifyGIF(file, expected)
  default: throw fault("the prepared file is no image")
  }
}

/// Refuses a prepared file of any kind that is larger than iOS takes.
func requireAttachable(_ file: MediaFile, _ type: AttachmentType) throws(Rejection.Reason) {
  let limit = type.kind.maximumAttachmentBytes
  guard file.bytes <= limit else {
    throw Rejection.Reason(
      .cannotFitLimit, at: .verify,
      "the prepared \(type.kind.rawValue) has \(file.bytes) bytes; at most \(limit) can be attached",
      limit: Double(limit), measured: Double(file.bytes))
  }
}

private func verifyJPEG(_ file: MediaFile, _ expected: PreparedFile) throws(Rejection.Reason) {
  let bytes = file.bytes(at: 0, count: file.bytes)
  guard bytes.withUnsafeBytes(isPlainJPEG) else {
    throw fault("the prepared file is no baseline JPEG that starts with JFIF and holds nothing beside its picture")
  }
  guard let decoder = JPEGDecoder(file) else { throw fault("the prepared JPEG cannot be opened") }
  try requireSize(decoder.width, decoder.height, expected)
  try requireFrames(1, expected)
  guard decoder.planes(shrink: 1) != nil else { throw fault("the prepared JPEG cannot be decoded to its end") }
}

private func verifyPNG(_ file: MediaFile, _ expected: PreparedFile) throws(Rejection.Reason) {
  guard file.bytes(at: 0, count: 8) == PNGStructure.signature else { throw fault("the prepared file is no PNG") }
  let structure = PNGStructure(file)
  guard structure.bitDepth <= 8, !structure.isCutShort, structure.metadata.isEmpty,
    !structure.hasColourProfile, !structure.isAnimated
  else { throw fault("the prepared PNG holds more than a picture of 8 bits") }
  // libavcodec shares no code with what wrote the file.
  let reader = try LibavPictureReader(file, format: .png, at: .verify)
  guard let picture = try reader.next() else { throw fault("the prepared PNG holds no picture") }
  try requireSize(picture.width, picture.height, expected)
  try requireFrames(1, expected)
}

func requireSize(_ width: Int, _ height: Int, _ expected: PreparedFile) throws(Rejection.Reason) {
  guard width == expected.width, height == expected.height else {
    throw fault(
      "the prepared image is \(width)x\(height) pixels large, not \(expected.width ?? 0)x\(expected.height ?? 0)")
  }
}

func requireFrames(_ count: Int, _ expected: PreparedFile) throws(Rejection.Reason) {
  guard count == expected.frames else { throw differs("frames", count, expected.frames ?? 0) }
}

private func differs(_ what: String, _ measured: Int, _ expected: Int) -> Rejection.Reason {
  fault("the prepared image has \(measured) \(what), not \(expected)")
}

func fault(_ message: String) -> Rejection.Reason {
  Rejection.Reason(.corrupt, at: .verify, message)
}
