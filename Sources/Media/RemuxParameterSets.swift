import CFFmpeg
import RichPush

/// The parameter sets of an H.264 or HEVC stream. In `avc1` and `hvc1` they stand in the sample entry and nowhere else
/// (ISO/IEC 14496-15, 5.4.2.1 and 8.4.1): Apple's decoders look there only, so sets among the pictures are taken out,
/// and such that the sample entry lacks are put there.
final class RemuxParameterSets {
  private let codec: VideoNALUnits.Codec
  private let framing: VideoNALUnits.Framing
  /// The sets of the sample entry.
  private var known: Set<[UInt8]>
  /// The sample entry's configuration where the source's was empty.
  private var configuration: [UInt8]?

  /// - Parameter firstPacket: the stream's first packet, where the sets are if the sample entry has none.
  /// - Returns: nil for other codecs.
  init?(of stream: UnsafeMutablePointer<AVStream>, firstPacket: [UInt8]) throws(Rejection.Reason) {
    let parameters = stream.pointee.codecpar.pointee
    let codec: VideoNALUnits.Codec
    switch parameters.codec_id {
    case AV_CODEC_ID_H264: codec = .h264
    case AV_CODEC_ID_HEVC: codec = .hevc
    default: return nil
    }
    self.codec = codec
    let bytes = UnsafeRawBufferPointer(start: parameters.extradata, count: Int(max(parameters.extradata_size, 0)))
    let extradata = [UInt8](bytes)
    if let record = VideoNALUnits.Record(extradata, codec) {
      let framing = VideoNALUnits.Framing.lengths(record.lengthSize)
      self.framing = framing
      known = Set(record.sets.map(VideoNALUnits.withoutTrailingZeros))
      guard record.sets.isEmpty else { return }
      let sets = VideoNALUnits.units(in: firstPacket, framing).map { Array(firstPacket[$0]) }
        .filter { VideoNALUnits.isParameterSet($0[...], codec) }
      configuration = VideoNALUnits.Record.configuration(extradata, codec, sets: sets, lengthSize: record.lengthSize)
      known = Set(sets.map(VideoNALUnits.withoutTrailingZeros))
    } else {
      framing = .startCodes
      known = Set(
        VideoNALUnits.units(in: extradata, .startCodes).map { Array(extradata[$0]) }
          .filter { VideoNALUnits.isParameterSet($0[...], codec) })
    }
    guard !known.isEmpty, framing == .startCodes || configuration != nil else {
      throw Rejection.Reason(
        .corrupt, at: .prepare, "the video lacks the parameter sets that its pictures are decoded with")
    }
  }

  /// Puts the parameter sets where the muxer looks for them.
  func describe(_ output: UnsafeMutablePointer<AVStream>) throws(Rejection.Reason) {
    guard let configuration else { return }
    let room = configuration.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)
    guard let copy = av_mallocz(room) else { throw libavOutOfMemory(at: .prepare) }
    copy.copyMemory(from: configuration, byteCount: configuration.count)
    av_free(output.pointee.codecpar.pointee.extradata)
    output.pointee.codecpar.pointee.extradata = copy.assumingMemoryBound(to: UInt8.self)
    output.pointee.codecpar.pointee.extradata_size = Int32(configuration.count)
  }

  /// Whether all parameter sets of a packet are the sample entry's.
  func areKnown(_ packet: AVPacket) -> Bool {
    guard let data = packet.data, packet.size > 0 else { return true }
    let bytes = UnsafeRawBufferPointer(start: data, count: Int(packet.size))
    return VideoNALUnits.units(in: bytes, framing).allSatisfy { unit in
      !VideoNALUnits.isParameterSet(bytes[unit], codec)
        || known.contains(VideoNALUnits.withoutTrailingZeros(Array(bytes[unit])))
    }
  }

  /// Takes the parameter sets out of a packet. With start codes the muxer does so itself.
  /// - Throws: `unsupported_codec` when they are other ones than the sample entry's.
  func clean(_ packet: UnsafeMutablePointer<AVPacket>) throws(Rejection.Reason) {
    guard let data = packet.pointee.data, packet.pointee.size > 0 else { return }
    let bytes = UnsafeRawBufferPointer(start: data, count: Int(packet.pointee.size))
    let units = VideoNALUnits.units(in: bytes, framing)
    let sets = units.filter { VideoNALUnits.isParameterSet(bytes[$0], codec) }
    guard !sets.isEmpty else { return }
    guard sets.allSatisfy({ known.contains(VideoNALUnits.withoutTrailingZeros(Array(bytes[$0]))) }) else {
      throw Rejection.Reason(
        .unsupportedCodec, at: .prepare,
        "the video changes its parameter sets on its way, so that it would have to be encoded anew")
    }
    guard case .lengths(let lengthSize) = framing, units.count > sets.count else { return }
    guard av_packet_make_writable(packet) >= 0, let data = packet.pointee.data else {
      throw libavOutOfMemory(at: .prepare)
    }
    var end = 0
    for unit in units where !sets.contains(unit) {
      let start = unit.lowerBound - lengthSize
      (data + end).update(from: data + start, count: unit.upperBound - start)
      end += unit.upperBound - start
    }
    av_shrink_packet(packet, Int32(end))
  }
}
