import CVips
import Preparation
import RichPush

/// Reads a picture's header; no pixel is decoded.
func inspectPicture(
  _ source: MediaFile, format: MediaFormat, _ request: InspectRequest
) throws(Rejection.Reason) -> MediaFacts {
  switch format {
  case .jpeg: return try inspectJPEG(source)
  case .png: return try inspectPNG(source)
  case .gif: return try inspectGIF(source, request)
  case .webp: return try inspectWebP(source)
  case .tiff: return try inspectByVips(source, format: format, with: .tiff)
  case .heif, .avif:
    if HEIFBrands(source.bytes(at: 0, count: min(source.bytes, 4096)))?.isSequence == true {
      return try inspectLibavPicture(source, format: format, request)
    }
    return try inspectHEIF(source, format: format)
  default: return try inspectLibavPicture(source, format: format, request)
  }
}

private func inspectJPEG(_ source: MediaFile) throws(Rejection.Reason) -> MediaFacts {
  guard let structure = JPEGStructure(source) else {
    throw JPEGStructure.isCutShort(source)
      ? Rejection.Reason(.truncated, at: .inspect, "the jpeg file ends before its picture begins")
      : Rejection.Reason(.corrupt, at: .inspect, "the jpeg file has no frame header")
  }
  guard [0, 1, 2, 9, 10].contains(structure.process) else {
    let name = [3: "lossless", 5: "hierarchical", 6: "hierarchical", 7: "hierarchical", 11: "lossless arithmetic"]
    throw Rejection.Reason(
      .unsupportedCodec, at: .inspect, "no decoder knows \(name[structure.process] ?? "this kind of") jpeg")
  }
  guard structure.precision == 8 else {
    throw Rejection.Reason(.unsupportedCodec, at: .inspect, "no decoder knows jpeg of \(structure.precision) bits")
  }
  guard [1, 3, 4].contains(structure.components) else {
    throw Rejection.Reason(.corrupt, at: .inspect, "the jpeg file has \(structure.components) colour components")
  }
  guard structure.hasScan else {
    throw Rejection.Reason(.truncated, at: .inspect, "the jpeg file ends before its picture begins")
  }
  let image = ImageFacts(
    codedWidth: structure.width, codedHeight: structure.height, orientation: structure.exif.orientation.exif,
    colour: structure.components == 1 ? .grey : structure.components == 4 ? .cmyk : .rgb,
    hasColourProfile: structure.profile.map { !$0.isPlainSRGB } ?? false)
  return MediaFacts(
    format: .jpeg, bytes: source.bytes, content: .image(image), metadata: sorted(structure.metadata))
}

private func inspectPNG(_ source: MediaFile) throws(Rejection.Reason) -> MediaFacts {
  let structure = PNGStructure(source)
  let sides = 1...0x7FFF_FFFF
  guard sides.contains(structure.width), sides.contains(structure.height) else {
    throw structure.isHeadless
      ? Rejection.Reason(.truncated, at: .inspect, "the png file ends before its header does")
      : Rejection.Reason(
        .corrupt, at: .inspect, "the png file says it is \(structure.width)x\(structure.height) pixels large")
  }
  if isBeyondReason(structure.width, structure.height) {
    return claimedFacts(source, format: .png, structure.width, structure.height)
  }
  var facts = try inspectByVips(source, format: .png, with: .png)
  facts.metadata = sorted(structure.metadata.union(facts.metadata))
  return facts
}

private func inspectGIF(_ source: MediaFile, _ request: InspectRequest) throws(Rejection.Reason) -> MediaFacts {
  let structure = GIFStructure(source, most: request.enoughFrames)
  if structure.ending == .cut {
    throw Rejection.Reason(
      .truncated, at: .inspect,
      structure.frames.isEmpty
        ? "the gif file ends before its first picture does"
        : "the gif file ends inside picture \(structure.frames.count + 1)")
  }
  guard !structure.frames.isEmpty else {
    throw Rejection.Reason(.corrupt, at: .inspect, "the gif file holds no picture")
  }
  var image = ImageFacts(
    codedWidth: structure.width, codedHeight: structure.height, frames: structure.frames.count)
  if structure.frames.count > 1 {
    image.delays = structure.frames.map(\.delay)
    image.plays = structure.plays
  }
  if structure.ending != .notReached, !isBeyondReason(structure.width, structure.height) {
    let header = try header(source, format: .gif, with: .gif(allFrames: false))
    image.decoder = gifDecoder(structure, decodedSize: (header.width, header.height))
    switch image.decoder {
    case .vips:
      // A first frame that is larger than the screen makes it grow, as it does in browsers.
      (image.codedWidth, image.codedHeight) = (header.width, header.height)
      image.hasAlpha = header.hasAlpha
      image.colour = header.channels < 3 ? .grey : .rgb
    case .libav: image.hasAlpha = true
    }
  }
  return MediaFacts(format: .gif, bytes: source.bytes, content: .image(image), metadata: sorted(structure.metadata))
}

/// Which library shows a GIF as browsers do.
///
/// libnsgif takes some screen sizes (640x480, 800x600, 1024x768 and others, and everything above 2048 pixels) for an
/// encoder's mistake, and the first frame's size for the true one; what lies beside that frame would be cut off. And it
/// paints in the background colour what browsers leave clear. A first frame that is larger than the screen makes it grow
/// in libnsgif alone.
func gifDecoder(_ structure: GIFStructure, decodedSize: (width: Int, height: Int)) -> ImageFacts.Decoder {
  if decodedSize.width < structure.width || decodedSize.height < structure.height { return .libav }
  return decodedSize == (structure.width, structure.height) && structure.uncoversScreen ? .libav : .vips
}

private func inspectWebP(_ source: MediaFile) throws(Rejection.Reason) -> MediaFacts {
  var facts = try inspectByVips(source, format: .webp, with: .webp(allFrames: false))
  var window = FileWindow(source)
  if let size = window.littleEndian32(at: 4), size + 8 + size % 2 < source.bytes {
    facts.metadata.append(.trailingData)
  }
  return facts
}

private func inspectHEIF(_ source: MediaFile, format: MediaFormat) throws(Rejection.Reason) -> MediaFacts {
  do throws(Rejection.Reason) {
    return try inspectByVips(source, format: format, with: .heif)
  } catch {
    // libheif opens nothing above 16384x16384, so its word on the size is not to be had.
    guard let size = largestClaimedSize(source), max(size.width, size.height) > 16_384 else { throw error }
    return claimedFacts(source, format: format, size.width, size.height)
  }
}

private func inspectByVips(
  _ source: MediaFile, format: MediaFormat, with loader: VipsLoader
) throws(Rejection.Reason) -> MediaFacts {
  let header = try header(source, format: format, with: loader)
  let exif = header.blob(VIPS_META_EXIF_NAME).map { ExifSummary($0) }
  var metadata: Set<MediaFacts.Metadata> = []
  if let exif {
    metadata.insert(.exif)
    if exif.hasLocation { metadata.insert(.gps) }
  }
  if header.has(VIPS_META_XMP_NAME) { metadata.insert(.xmp) }
  if header.has(VIPS_META_IPTC_NAME) || header.has(VIPS_META_PHOTOSHOP_NAME) { metadata.insert(.iptc) }
  let pages = header.integer(VIPS_META_N_PAGES) ?? 1
  let isAnimation = format == .webp && pages > 1
  if pages > 1, !isAnimation { metadata.insert(.auxiliaryImages) }
  let orientation =
    switch format {
    // libheif turns the picture by the file's own properties, and EXIF says it a second time.
    case .heif, .avif: 1
    case .tiff: header.integer(VIPS_META_ORIENTATION) ?? 1
    default: exif?.orientation.exif ?? 1
    }
  let image = ImageFacts(
    codedWidth: header.width, codedHeight: header.height, orientation: Orientation(exif: orientation).exif,
    colour: header.colour, bitsPerChannel: header.integer("heif-bitdepth") ?? header.bitsPerChannel,
    hasAlpha: header.hasAlpha,
    hasColourProfile: header.foreignColours != nil && header.has(VIPS_META_ICC_NAME), frames: isAnimation ? pages : 1,
    delays: isAnimation ? delays(header, count: pages) : [], plays: isAnimation ? header.integer("loop") ?? 0 : nil)
  return MediaFacts(format: format, bytes: source.bytes, content: .image(image), metadata: sorted(metadata))
}

private func delays(_ header: borrowing VipsPicture, count: Int) -> [Int] {
  let stored = header.integers("delay").prefix(count)
  return Array(stored) + repeatElement(0, count: count - stored.count)
}

private func header(
  _ source: MediaFile, format: MediaFormat, with loader: VipsLoader
) throws(Rejection.Reason) -> VipsPicture {
  do throws(VipsFailure) {
    return try VipsPicture(loading: source, with: loader)
  } catch {
    throw decodingReason(error, of: source, format: format, at: .inspect)
  }
}

/// More pixels than any profile lets through: no library has to look at them.
private func isBeyondReason(_ width: Int, _ height: Int) -> Bool {
  width > 1_000_000_000 / max(1, height)
}

private func claimedFacts(_ source: MediaFile, format: MediaFormat, _ width: Int, _ height: Int) -> MediaFacts {
  MediaFacts(
    format: format, bytes: source.bytes, content: .image(ImageFacts(codedWidth: width, codedHeight: height)))
}

func sorted(_ metadata: Set<MediaFacts.Metadata>) -> [MediaFacts.Metadata] {
  MediaFacts.Metadata.allCases.filter(metadata.contains)
}
