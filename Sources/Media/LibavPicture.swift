import CFFmpeg
import Preparation
import RichPush

/// Facts of a picture or animation that libvips does not read: BMP, ICO, PSD, JPEG 2000, JPEG XL, APNG, AVIF and HEIF
/// sequences.
func inspectLibavPicture(
  _ source: MediaFile, format: MediaFormat, _ request: InspectRequest
) throws(Rejection.Reason) -> MediaFacts {
  switch format {
  case .apng, .png: try inspectAnimatedPNG(source)
  case .avif, .heif: try inspectSequence(source, format: format, request)
  default: try inspectDecodedStill(source, format: format)
  }
}

private func inspectAnimatedPNG(_ source: MediaFile) throws(Rejection.Reason) -> MediaFacts {
  let png = PNGStructure(source)
  guard !png.isCutShort else { throw animationIsCutShort(at: .inspect) }
  try requireDecodableSize((png.width, png.height), at: .inspect)
  // One frame is a still, which libvips reads.
  let isAnimated = png.delays.count > 1
  let image = ImageFacts(
    codedWidth: png.width, codedHeight: png.height, colour: png.isGrey ? .grey : .rgb,
    bitsPerChannel: png.bitDepth, hasAlpha: png.hasAlpha, hasColourProfile: png.hasColourProfile,
    frames: max(png.delays.count, 1), delays: isAnimated ? png.delays : [], plays: isAnimated ? png.plays : nil,
    decoder: isAnimated ? .libav : .vips)
  return MediaFacts(
    format: isAnimated ? .apng : .png, bytes: source.bytes, content: .image(image), metadata: sorted(png.metadata))
}

/// libavformat would show the frames up to there.
func animationIsCutShort(at stage: Rejection.Stage) -> Rejection.Reason {
  Rejection.Reason(.truncated, at: stage, "the file ends before the PNG's end")
}

/// A still is decoded to know it: the headers of these formats leave too much open.
private func inspectDecodedStill(
  _ source: MediaFile, format: MediaFormat
) throws(Rejection.Reason) -> MediaFacts {
  let reader = try LibavPictureReader(source, format: format, at: .inspect)
  guard let picture = try reader.next() else {
    throw Rejection.Reason(.corrupt, at: .inspect, "there is no picture in the file")
  }
  var image = ImageFacts(codedWidth: picture.width, codedHeight: picture.height, decoder: .libav)
  describe(&image, reader.lastPixelFormat)
  image.hasColourProfile = reader.colourProfile != nil
  return MediaFacts(format: format, bytes: source.bytes, content: .image(image))
}

private func inspectSequence(
  _ source: MediaFile, format: MediaFormat, _ request: InspectRequest
) throws(Rejection.Reason) -> MediaFacts {
  let input = try LibavInput(source, demuxer: "mov", at: .inspect)
  try input.findStreams()
  let alpha = alphaTrack(of: source)
  let videos = (0..<input.streamCount).filter {
    $0 != alpha && input.stream($0)?.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
  }
  guard let index = videos.first, let stream = input.stream(index) else {
    throw Rejection.Reason(.unsupportedCodec, at: .inspect, "the picture sequence has no track that can be read")
  }
  let parameters = stream.pointee.codecpar.pointee
  let size = (width: Int(parameters.width), height: Int(parameters.height))
  try requireDecodableSize(size, at: .inspect)
  guard size.width > 0, size.height > 0 else {
    throw Rejection.Reason(.corrupt, at: .inspect, "the picture sequence does not say how large it is")
  }
  let delays = try sequenceDelays(of: input, stream: index, limit: request.enoughFrames)
  guard !delays.isEmpty else {
    throw Rejection.Reason(.corrupt, at: .inspect, "the picture sequence has no pictures")
  }
  let turn = DisplayOrientation(of: stream)
  let isAnimated = delays.count > 1
  var image = ImageFacts(
    codedWidth: size.width, codedHeight: size.height, orientation: turn.exif, frames: delays.count,
    // Browsers repeat sequences for ever whatever their edit list says.
    delays: isAnimated ? delays : [], plays: isAnimated ? 0 : nil, decoder: .libav)
  describe(&image, AVPixelFormat(rawValue: parameters.format))
  image.hasAlpha = image.hasAlpha || alpha != nil
  return MediaFacts(
    format: format, bytes: source.bytes, content: .image(image),
    metadata: input.metadata(beside: [index, alpha].compactMap { $0 }))
}

/// How long each picture is shown, in milliseconds, in the order of showing.
private func sequenceDelays(
  of input: LibavInput, stream index: Int, limit: Int
) throws(Rejection.Reason) -> [Int] {
  guard let base = input.stream(index)?.pointee.time_base else { return [] }
  let packet = try LibavPacket(at: input.stage)
  var shown: [(time: Int64, seconds: Double)] = []
  while shown.count <= limit, input.read(into: packet.pointer) >= 0 {
    let packet = packet.pointer.pointee
    guard packet.stream_index == index, packet.flags & AV_PKT_FLAG_DISCARD == 0 else { continue }
    guard packet.flags & AV_PKT_FLAG_CORRUPT == 0 else {
      throw Rejection.Reason(.truncated, at: input.stage, "the file ends in the middle of a picture")
    }
    let length = seconds(packet.duration, base) ?? 0
    shown.append((packet.pts, length > 0 && length < 1e6 ? length : 0))
  }
  try input.check()
  shown.sort { $0.time < $1.time }
  var elapsed = 0.0
  return shown.map { picture in
    let start = (elapsed * 1000).rounded()
    elapsed += picture.seconds
    return Int((elapsed * 1000).rounded() - start)
  }
}

private func describe(_ image: inout ImageFacts, _ format: AVPixelFormat) {
  guard let description = av_pix_fmt_desc_get(format) else { return }
  let flags = description.pointee.flags
  let isPalette = flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0
  image.hasAlpha = flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0
  image.bitsPerChannel = max(Int(description.pointee.comp.0.depth), 1)
  image.colour = !isPalette && description.pointee.nb_components <= 2 ? .grey : .rgb
}
