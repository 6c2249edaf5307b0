import CFFmpeg
import Preparation
import RichPush

extension LibavInput {
  /// The stream that is the picture of a video; nil when there is none. Cover art is none.
  func pictureIndex() -> Int? {
    let candidates = (0..<streamCount).filter { index in
      guard let stream = stream(index) else { return false }
      return stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO && !stream.isCoverArt
    }
    // Of several, the one that a player would show: decodable, marked as default, largest, first.
    func rank(_ index: Int) -> (Int, Int, Int, Int) {
      guard let stream = stream(index) else { return (0, 0, 0, 0) }
      let parameters = stream.pointee.codecpar.pointee
      let area = Int(max(parameters.width, 0)) * Int(max(parameters.height, 0))
      let isDefault = stream.pointee.disposition & AV_DISPOSITION_DEFAULT != 0
      return (avcodec_find_decoder(parameters.codec_id) == nil ? 0 : 1, isDefault ? 1 : 0, area, -index)
    }
    return candidates.max { rank($0) < rank($1) }
  }

  /// The stream that is heard; nil when there is none.
  func soundIndex(beside picture: Int?) -> Int? {
    let best = av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, Int32(picture ?? -1), nil, 0)
    if best >= 0, let stream = stream(Int(best)), stream.hasCodec { return Int(best) }
    return (0..<streamCount).first { index in
      guard let stream = stream(index) else { return false }
      return stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO && stream.hasCodec
    }
  }

  func pictureStream(_ index: Int) -> PictureStream? {
    guard let stream = stream(index) else { return nil }
    let parameters = stream.pointee.codecpar.pointee
    let interlaced = [AV_FIELD_TT, AV_FIELD_BB, AV_FIELD_TB, AV_FIELD_BT]
    return PictureStream(
      index: index, codec: stream.codecName, tag: stream.tag, profile: stream.profileName,
      level: Int(parameters.level),
      pixelFormat: av_get_pix_fmt_name(AVPixelFormat(rawValue: parameters.format)).map { String(cString: $0) } ?? "",
      isInterlaced: interlaced.contains(parameters.field_order),
      isHighDynamicRange: [AVCOL_TRC_SMPTE2084, AVCOL_TRC_ARIB_STD_B67].contains(parameters.color_trc),
      isEncrypted: isEncrypted(stream),
      isDecodable: avcodec_find_decoder(parameters.codec_id) != nil)
  }

  func audioStream(_ index: Int) -> AudioStream? {
    guard let stream = stream(index) else { return nil }
    let parameters = stream.pointee.codecpar.pointee
    return AudioStream(
      index: index, codec: stream.codecName, profile: stream.profileName, sampleRate: Int(parameters.sample_rate),
      channels: Int(parameters.ch_layout.nb_channels), bitRate: Int(max(parameters.bit_rate, 0)),
      isEncrypted: isEncrypted(stream), isDecodable: avcodec_find_decoder(parameters.codec_id) != nil)
  }

  /// libavformat gives an encrypted track the tag of what is encrypted, so the boxes are asked as well. WebM says by
  /// which key (its `enc_key_id`).
  private func isEncrypted(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
    encryptedTracks.contains(Int(stream.pointee.id)) || ["encv", "enca", "drmi", "drms"].contains(stream.tag)
      || av_stream_get_side_data(stream, AV_PKT_DATA_ENCRYPTION_INIT_INFO, nil) != nil
      || av_dict_get(stream.pointee.metadata, "enc_key_id", nil, 0) != nil
  }

  /// All streams, for people.
  func streamNames() -> [String] {
    (0..<streamCount).compactMap { index in
      guard let stream = stream(index) else { return nil }
      let type = stream.pointee.codecpar.pointee.codec_type
      if stream.isCoverArt { return "cover \(stream.codecName)" }
      let kind = av_get_media_type_string(type).map { String(cString: $0) } ?? "unknown"
      let codec = stream.codecName
      let isNamed = codec != "unknown" && codec != "bin_data"
      return "\(kind) \(isNamed || stream.tag.isEmpty ? codec : stream.tag)"
    }
  }
}

extension UnsafeMutablePointer<AVStream> {
  /// Whether the container says at all what the stream is coded as.
  var hasCodec: Bool {
    pointee.codecpar.pointee.codec_id != AV_CODEC_ID_NONE || pointee.codecpar.pointee.codec_tag != 0
  }

  var codecName: String {
    let codec = pointee.codecpar.pointee.codec_id
    return codec == AV_CODEC_ID_NONE ? "unknown" : String(cString: avcodec_get_name(codec))
  }

  var profileName: String {
    let parameters = pointee.codecpar.pointee
    return avcodec_profile_name(parameters.codec_id, parameters.profile).map { String(cString: $0) } ?? ""
  }

  /// The four characters of the sample entry; empty where the container has no such thing.
  var tag: String {
    let tag = pointee.codecpar.pointee.codec_tag
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: tag >> ($0 * 8)) }
    return bytes.allSatisfy { (0x20...0x7E).contains($0) } ? String(decoding: bytes, as: UTF8.self) : ""
  }

  /// Seconds that one picture is shown; nil when the rate is unknown or absurd.
  var framePeriod: Double? {
    guard let rate = positive(pointee.avg_frame_rate) ?? positive(pointee.r_frame_rate), rate > 1e-4 else { return nil }
    return 1 / rate
  }
}
