import Preparation
import RichPush

/// Decodes a prepared image to its last pixel and holds it against what it is meant to be.
func verifyImage(_ file: MediaFile, _ expected: PreparedFile) throws(Rejection.Reason) {
  guard file.bytes == expected.bytes else {
    throw differs("bytes", file.bytes, expected.bytes)
  }
  let limit = expected.type.kind.maximumAttachmentBytes
  guard file.bytes <= limit else {
    throw Rejection.Reason(
      .cannotFitLimit, at: .verify, "the prepared image has \(file.bytes) bytes; at most \(limit) can be attached",
      limit: Double(limit), measured: Double(file.bytes))
  }
  switch expected.type {
  case .jpeg: try verifyJPEG(file, expected)
  case .png: try verifyPNG(file, expected)
  case .gif: try verifyGIF(file, expected)
  default: throw fault("the prepared file is no image")
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
    !structure.chunks.contains("iCCP"), !structure.chunks.contains("acTL")
  else { throw fault("the prepared PNG holds more than a picture of 8 bits") }
  do throws(VipsFailure) {
    let picture = try VipsPicture(loading: file, with: .png)
    try requireSameSize(picture, expected)
    _ = try picture.pixels()
  } catch {
    throw fault("the prepared PNG cannot be decoded to its end: \(error.message)")
  }
  try requireSize(structure.width, structure.height, expected)
  try requireFrames(1, expected)
}

private func requireSameSize(_ picture: borrowing VipsPicture, _ expected: PreparedFile) throws(VipsFailure) {
  guard picture.width == expected.width, picture.height == expected.height else {
    throw VipsFailure("it is \(picture.width)x\(picture.height) pixels large")
  }
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
