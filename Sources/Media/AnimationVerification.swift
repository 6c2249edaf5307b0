import Preparation
import RichPush

/// Decodes every frame of a prepared GIF.
func verifyGIF(_ file: MediaFile, _ expected: PreparedFile) throws(Rejection.Reason) {
  let wanted = expected.frames ?? 0
  guard file.bytes(at: 0, count: 6) == Array("GIF89a".utf8) else { throw fault("the prepared file is no GIF") }
  let structure = GIFStructure(file, most: wanted)
  guard structure.ending == .trailer, structure.metadata.isEmpty else {
    throw fault("the prepared GIF is cut or holds more than its frames")
  }
  try requireSize(structure.width, structure.height, expected)
  try requireFrames(structure.frames.count, expected)
  // Shorter delays are slowed down by everything that shows GIFs.
  guard structure.frames.count == 1 || structure.frames.allSatisfy({ $0.delay >= 20 }) else {
    throw fault("a frame of the prepared GIF lasts less than 20 ms")
  }
  let seconds = Double(structure.frames.map(\.delay).reduce(0, +)) / 1000
  guard abs(seconds - (expected.duration ?? seconds)) < 0.001 else {
    throw fault("the prepared GIF lasts \(seconds) s, not \(expected.duration ?? 0) s")
  }
  let header: VipsPicture
  do throws(VipsFailure) {
    header = try VipsPicture(loading: file, with: .gif(allFrames: false))
  } catch {
    throw decodingReason(error, of: file, format: .gif, at: .verify)
  }
  let decoder = gifDecoder(structure, decodedSize: (header.width, header.height))
  let frames = try AnimationFrames(file, format: .gif, decoder: decoder, at: .verify)
  var decoded = 0
  while let frame = try frames.next() {
    try requireSize(frame.width, frame.height, expected)
    decoded += 1
  }
  try requireFrames(decoded, expected)
}
