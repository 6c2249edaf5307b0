import CFFmpeg
import RichPush

/// Finds out in which order pictures are shown when the container tells only in which order they are decoded, as AVI
/// does: by decoding them.
final class RemuxPictureOrder {
  private let decoder: LibavDecoder
  private let frame: LibavFrame
  /// When each packet is decoded, in ticks of the stream, in order of the packets.
  private var decodingTimes: [Int64] = []
  /// Numbers of packets in the order in which their pictures come out.
  private var shown: [Int] = []

  init(of stream: UnsafeMutablePointer<AVStream>) throws(Rejection.Reason) {
    let parameters = stream.pointee.codecpar.pointee
    decoder = try LibavDecoder(parameters.codec_id, parameters: stream.pointee.codecpar, at: .prepare) { context in
      // Only the order is of interest.
      context.pointee.skip_loop_filter = AVDISCARD_ALL
      context.pointee.flags2 |= AV_CODEC_FLAG2_FAST
    }
    frame = try LibavFrame(at: .prepare)
  }

  /// - Parameter packet: it is left as it is.
  func add(_ packet: UnsafePointer<AVPacket>) throws(Rejection.Reason) {
    guard let copy = av_packet_clone(packet) else { throw libavOutOfMemory(at: .prepare) }
    var owned: UnsafeMutablePointer<AVPacket>? = copy
    defer { av_packet_free(&owned) }
    // A picture comes out with the time of the packet that it was in: its number serves as that.
    copy.pointee.pts = Int64(decodingTimes.count)
    copy.pointee.dts = enclosure_av_no_timestamp
    decodingTimes.append(packet.pointee.dts)
    _ = decoder.send(copy)
    takeFrames()
  }

  /// When each packet's picture is shown, in ticks of the stream, in order of the packets. The first is shown at the
  /// time at which the first is decoded, and so on.
  /// - Returns: nil when not every packet gave a picture, so that the order is not known.
  func presentationTimes() -> [Int64]? {
    _ = decoder.send(nil)
    takeFrames()
    guard Set(shown).count == decodingTimes.count, !decodingTimes.contains(enclosure_av_no_timestamp),
      shown.allSatisfy(decodingTimes.indices.contains)
    else { return nil }
    let times = decodingTimes.sorted()
    var presentation = times
    for (rank, number) in shown.enumerated() where rank < times.count { presentation[number] = times[rank] }
    return presentation
  }

  private func takeFrames() {
    while decoder.receive(frame.pointer) >= 0 { shown.append(Int(clamping: frame.pointer.pointee.pts)) }
  }
}
