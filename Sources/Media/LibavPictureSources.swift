import CFFmpeg
import RichPush

/// A file that is one coded picture: the decoder gets all of it as one packet.
final class LibavWholePicture: LibavPictureSource {
  private let stage: Rejection.Stage
  private let decoder: LibavDecoder
  private let packet: LibavPacket
  private var isDone = false

  /// Larger files hold no picture that would be decoded.
  private static let maximumBytes = 200_000_000

  init(_ source: MediaFile, _ codec: AVCodecID, at stage: Rejection.Stage) throws(Rejection.Reason) {
    self.stage = stage
    try requireDecodableSize(claimedSize(of: source), at: stage)
    guard source.bytes <= LibavWholePicture.maximumBytes else {
      throw Rejection.Reason(
        .tooLarge, at: stage,
        "the picture has \(source.bytes) bytes; at most \(LibavWholePicture.maximumBytes) are read",
        limit: Double(LibavWholePicture.maximumBytes), measured: Double(source.bytes))
    }
    if codec == AV_CODEC_ID_BMP { try requireKnownCompression(of: source, at: stage) }
    // Broken pictures are refused rather than shown grey.
    decoder = try LibavDecoder(codec, at: stage) { $0.pointee.err_recognition |= AV_EF_EXPLODE }
    packet = try LibavPacket(at: stage)
    guard av_new_packet(packet.pointer, Int32(source.bytes)) == 0 else { throw libavOutOfMemory(at: stage) }
    let buffer = UnsafeMutableRawBufferPointer(start: packet.pointer.pointee.data, count: source.bytes)
    guard source.fill(buffer, at: 0) else {
      throw Rejection.Reason(.fetchFailed, at: stage, "the source could not be read to its end")
    }
  }

  func next(into frame: UnsafeMutablePointer<AVFrame>) throws(Rejection.Reason) -> Int? {
    guard !isDone else { return nil }
    isDone = true
    var status = decoder.send(packet.pointer)
    if status >= 0 {
      _ = decoder.send(nil)
      status = decoder.receive(frame)
    }
    guard status >= 0 else { throw undecodable(decoder, status, at: stage) }
    return 0
  }
}

/// The pictures of a container's first video track.
final class LibavTrackPictures: LibavPictureSource {
  private let stage: Rejection.Stage
  private let input: LibavInput
  private let decoder: LibavDecoder
  private let packet: LibavPacket
  private let stream: UnsafeMutablePointer<AVStream>
  /// Delays that are known beforehand, in milliseconds; empty when the packets tell.
  private let delays: [Int]
  private var count = 0
  private var isDraining = false
  /// Seconds that the pictures so far were shown.
  private var elapsed = 0.0

  /// - Parameter accepts: whether a stream, by its index, may be the one.
  init(
    _ source: MediaFile, demuxer: String?, delays: [Int] = [], at stage: Rejection.Stage,
    accepts: (Int) -> Bool = { _ in true }
  ) throws(Rejection.Reason) {
    self.stage = stage
    self.delays = delays
    input = try LibavInput(source, demuxer: demuxer, at: stage)
    // The headers of these containers tell all; the pictures of the others have to be looked at.
    if demuxer == nil { try input.findStreams() }
    stream = try LibavTrackPictures.pictureStream(
      of: input, accepts: accepts, ranks: demuxer == "ico" ? iconRanks(source) : [])
    let parameters = stream.pointee.codecpar.pointee
    try requireDecodableSize((Int(parameters.width), Int(parameters.height)), at: stage)
    decoder = try LibavDecoder(parameters.codec_id, parameters: stream.pointee.codecpar, at: stage)
    decoder.context.pointee.pkt_timebase = stream.pointee.time_base
    packet = try LibavPacket(at: stage)
  }

  /// - Parameter ranks: of an icon's pictures, which are the same one in several sizes: the best is taken.
  private static func pictureStream(
    of input: LibavInput, accepts: (Int) -> Bool, ranks: [Int]
  ) throws(Rejection.Reason) -> UnsafeMutablePointer<AVStream> {
    let videos = (0..<input.streamCount).filter(accepts).compactMap { input.stream($0) }.filter {
      $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
    }
    func rank(_ stream: UnsafeMutablePointer<AVStream>) -> Int {
      let index = Int(stream.pointee.index)
      return ranks.indices.contains(index) ? ranks[index] : 0
    }
    guard let stream = ranks.isEmpty ? videos.first : videos.max(by: { rank($0) < rank($1) }) else {
      throw Rejection.Reason(.corrupt, at: input.stage, "there is no picture in the file")
    }
    return stream
  }

  func next(into frame: UnsafeMutablePointer<AVFrame>) throws(Rejection.Reason) -> Int? {
    while true {
      let status = decoder.receive(frame)
      if status >= 0 { return delay(of: frame) }
      if status == enclosure_av_eof { return nil }
      guard status == enclosure_av_again, !isDraining else { throw undecodable(decoder, status, at: stage) }
      try sendPacket()
    }
  }

  private func sendPacket() throws(Rejection.Reason) {
    repeat {
      let status = input.read(into: packet.pointer)
      guard status >= 0 else {
        try input.check()
        guard status == enclosure_av_eof else {
          throw Rejection.Reason(
            .corrupt, at: stage, "the picture cannot be read: \(libavComplaint(about: status))")
        }
        isDraining = true
        _ = decoder.send(nil)
        return
      }
    } while packet.pointer.pointee.stream_index != stream.pointee.index
    guard packet.pointer.pointee.flags & AV_PKT_FLAG_CORRUPT == 0 else {
      throw Rejection.Reason(.truncated, at: stage, "the file ends in the middle of a picture")
    }
    let status = decoder.send(packet.pointer)
    guard status >= 0 else { throw undecodable(decoder, status, at: stage) }
  }

  /// Milliseconds, rounded so that the sum of them stays right.
  private func delay(of frame: UnsafeMutablePointer<AVFrame>) -> Int {
    defer { count += 1 }
    if count < delays.count { return delays[count] }
    guard delays.isEmpty,
      let seconds = seconds(frame.pointee.pkt_duration, stream.pointee.time_base), seconds > 0, seconds < 1e6
    else { return 0 }
    let start = (elapsed * 1000).rounded()
    elapsed += seconds
    return Int((elapsed * 1000).rounded() - start)
  }
}

/// How good an icon's pictures are, by its directory: their pixels, then their bits per pixel. libavformat knows no size
/// of those that are PNG inside.
private func iconRanks(_ source: MediaFile) -> [Int] {
  let count = min(Int(source.bytes(at: 4, count: 2).littleEndian(at: 0, count: 2)), LibavInput.maximumStreams)
  // A cursor has the place that it points with where an icon has its bits.
  let isIcon = source.bytes(at: 2, count: 1) == [1]
  return (0..<count).map { number in
    let entry = source.bytes(at: 6 + 16 * number, count: 8)
    let sides = entry.prefix(2).map { $0 == 0 ? 256 : Int($0) }
    return sides.reduce(1, *) << 16 | (isIcon ? Int(entry.littleEndian(at: 6, count: 2)) : 0)
  }
}

/// BMP files of OS/2 and of printers hold run lengths of 24-bit pixels, fax, or whole JPEG and PNG files, which the
/// decoder does not know.
private func requireKnownCompression(of source: MediaFile, at stage: Rejection.Stage) throws(Rejection.Reason) {
  let head = source.bytes(at: 0, count: 34)
  let compression = head.littleEndian(at: 30, count: 4)
  let isOld = head.littleEndian(at: 14, count: 4) == 12
  guard isOld || [0, 1, 2, 3, 6].contains(compression) else {
    throw Rejection.Reason(.unsupportedCodec, at: stage, "the BMP's compression \(compression) is not known")
  }
}

/// Refuses pictures that claim an absurd size before anything is decoded.
func requireDecodableSize(_ size: (width: Int, height: Int)?, at stage: Rejection.Stage) throws(Rejection.Reason) {
  guard let size else { return }
  guard size.width >= 0, size.height >= 0 else {
    throw Rejection.Reason(.corrupt, at: stage, "the picture says it is \(size.width)x\(size.height) pixels large")
  }
  let (pixels, overflow) = size.width.multipliedReportingOverflow(by: size.height)
  guard !overflow, pixels <= LibavInput.maximumPixels else {
    throw Rejection.Reason(
      .tooManyPixels, at: stage,
      "the picture has \(size.width)x\(size.height) pixels; at most \(LibavInput.maximumPixels) are decoded",
      limit: Double(LibavInput.maximumPixels), measured: Double(size.width) * Double(size.height))
  }
}

func undecodable(_ decoder: LibavDecoder, _ status: Int32, at stage: Rejection.Stage) -> Rejection.Reason {
  let name = String(cString: avcodec_get_name(decoder.context.pointee.codec_id))
  if status == enclosure_av_out_of_memory { return libavOutOfMemory(at: stage) }
  if status == enclosure_av_patch_welcome {
    return Rejection.Reason(.unsupportedCodec, at: stage, "the decoder of \(name) does not know this kind of picture")
  }
  return Rejection.Reason(
    .corrupt, at: stage, "the \(name) picture could not be decoded: \(libavComplaint(about: status))")
}
