import CFFmpeg
import RichPush

/// A container being written. Owns libavformat's context and what it writes through.
final class LibavOutput {
  let context: UnsafeMutablePointer<AVFormatContext>
  private let io: LibavWriteIO
  private let descriptor: Int32
  private let maximumBytes: Int
  private let kind: MediaKind
  private let manner: String
  private let stage: Rejection.Stage
  /// What the muxer reads its own output through, while it does.
  private var reader: LibavReadIO?

  /// - Parameters:
  ///   - descriptor: an empty file, readable and writable; it stays the caller's.
  ///   - maximumBytes: writing stops where the file would become larger.
  ///   - manner: how the file is made, for the sentence that says that it became too large.
  init(
    _ type: AttachmentType, borrowing descriptor: Int32, maximumBytes: Int, at stage: Rejection.Stage,
    manner: String = "copied as it is"
  ) throws(Rejection.Reason) {
    LibavLog.silence()
    io = LibavWriteIO(borrowing: descriptor, maximumBytes: maximumBytes)
    guard let writer = io.pointer else { throw libavOutOfMemory(at: stage) }
    guard let muxer = type.muxer else {
      throw Rejection.Reason(.unsupportedType, at: stage, "\(type.rawValue) has no container to be copied into")
    }
    var allocated: UnsafeMutablePointer<AVFormatContext>?
    guard avformat_alloc_output_context2(&allocated, nil, muxer, nil) >= 0, let context = allocated else {
      throw libavOutOfMemory(at: stage)
    }
    self.context = context
    self.descriptor = descriptor
    self.maximumBytes = maximumBytes
    self.kind = type.kind
    self.manner = manner
    self.stage = stage
    context.pointee.pb = writer
    // Nothing of the program that wrote it, and no time of writing: the same source gives the same bytes.
    context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
    context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    context.pointee.io_open = reopenOutput
    context.pointee.io_close2 = closeReopened
  }

  deinit {
    avformat_free_context(context)
  }

  /// Bytes written so far.
  var bytes: Int { io.bytes }

  /// Adds a stream that is a copy of one of the source's.
  func addStream(
    copying source: UnsafeMutablePointer<AVStream>, tag: String? = nil, pixelAspect: AVRational? = nil
  ) throws(Rejection.Reason) -> UnsafeMutablePointer<AVStream> {
    guard let stream = avformat_new_stream(context, nil),
      avcodec_parameters_copy(stream.pointee.codecpar, source.pointee.codecpar) >= 0
    else { throw libavOutOfMemory(at: stage) }
    stream.pointee.codecpar.pointee.codec_tag = tag.map(fourCharacterCode) ?? 0
    stream.pointee.time_base = source.pointee.time_base
    stream.pointee.avg_frame_rate = source.pointee.avg_frame_rate
    stream.pointee.disposition = AV_DISPOSITION_DEFAULT
    if let pixelAspect {
      stream.pointee.sample_aspect_ratio = pixelAspect
      stream.pointee.codecpar.pointee.sample_aspect_ratio = pixelAspect
    }
    // How to turn the picture and what its brightest light means; all else of side data is dropped.
    try addMatrix(DisplayOrientation(of: source), to: stream)
    for type in [AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_CONTENT_LIGHT_LEVEL] {
      var size = 0
      guard let data = av_stream_get_side_data(source, type, &size), size > 0 else { continue }
      guard let copy = av_stream_new_side_data(stream, type, size) else { throw libavOutOfMemory(at: stage) }
      copy.update(from: data, count: size)
    }
    return stream
  }

  private func addMatrix(
    _ turn: DisplayOrientation, to stream: UnsafeMutablePointer<AVStream>
  ) throws(Rejection.Reason) {
    let parameters = stream.pointee.codecpar.pointee
    guard let matrix = turn.matrix(width: parameters.width, height: parameters.height) else { return }
    let size = matrix.count * MemoryLayout<Int32>.size
    guard let data = av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, size) else {
      throw libavOutOfMemory(at: stage)
    }
    matrix.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: data, count: size).copyMemory(from: $0) }
  }

  /// Adds a stream of what an encoder makes.
  func addStream(encodedBy encoder: LibavEncoder) throws(Rejection.Reason) -> UnsafeMutablePointer<AVStream> {
    guard let stream = avformat_new_stream(context, nil),
      avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context) >= 0
    else { throw libavOutOfMemory(at: stage) }
    stream.pointee.time_base = encoder.context.pointee.time_base
    stream.pointee.avg_frame_rate = encoder.context.pointee.framerate
    stream.pointee.disposition = AV_DISPOSITION_DEFAULT
    return stream
  }

  func writeHeader(_ settings: [String: String]) throws(Rejection.Reason) {
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    for (key, value) in settings { av_dict_set(&options, key, value, 0) }
    try check(avformat_write_header(context, &options), "the container's header could not be written")
  }

  /// Writes a packet, whose content is given away.
  func write(_ packet: UnsafeMutablePointer<AVPacket>) throws(Rejection.Reason) {
    try check(av_interleaved_write_frame(context, packet), "a packet could not be copied")
  }

  /// Writes a packet of a stream that is copied, whose content is given away.
  /// - Returns: false when its bytes make no sense to what the container needs of them: it is lost, the others are not.
  func writes(_ packet: UnsafeMutablePointer<AVPacket>) throws(Rejection.Reason) -> Bool {
    let status = av_interleaved_write_frame(context, packet)
    if status == enclosure_av_invalid_data || isUnknownToLibav(status), io.failure == nil, !io.isOverLimit {
      return false
    }
    try check(status, "a packet could not be copied")
    return true
  }

  func finish() throws(Rejection.Reason) {
    try check(av_write_trailer(context), "the container could not be finished")
    avio_flush(io.pointer)
    try check(io.pointer?.pointee.error ?? 0, "the container could not be finished")
  }

  private func check(_ status: Int32, _ what: String) throws(Rejection.Reason) {
    if let failure = io.failure {
      throw Rejection.Reason(
        .storeFailed, at: stage, "the prepared file could not be written: \(libavDescription(of: -failure))")
    }
    guard !io.isOverLimit else {
      throw Rejection.Reason(
        .cannotFitLimit, at: stage,
        "\(manner), the \(kind.rawValue) is larger than the \(maximumBytes) bytes that can be attached",
        limit: Double(maximumBytes), measured: Double(io.bytes))
    }
    guard status >= 0 else {
      guard status != enclosure_av_out_of_memory else { throw libavOutOfMemory(at: stage) }
      throw Rejection.Reason(.corrupt, at: stage, "\(what): \(libavComplaint(about: status))")
    }
  }

  /// Opens the output for reading: the muxer does so once, to move the pictures behind the index.
  fileprivate func reopen() -> UnsafeMutablePointer<AVIOContext>? {
    guard reader == nil, let written = try? MediaFile(borrowing: descriptor, at: stage) else { return nil }
    let reader = LibavReadIO(written)
    self.reader = reader
    return reader.pointer
  }

  fileprivate func closeReader() {
    reader = nil
  }
}

extension AttachmentType {
  /// libavformat's name of the container; nil for pictures.
  fileprivate var muxer: String? {
    switch self {
    case .mpeg4: "mp4"
    case .mpeg4Audio: "ipod"
    case .mp3: "mp3"
    case .wav: "wav"
    case .aiff: "aiff"
    case .jpeg, .png, .gif: nil
    }
  }
}

private func fourCharacterCode(_ text: String) -> UInt32 {
  text.utf8.prefix(4).enumerated().reduce(0) { $0 | UInt32($1.element) << UInt32($1.offset * 8) }
}

private func reopenOutput(
  _ context: UnsafeMutablePointer<AVFormatContext>?, _ io: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?,
  _ url: UnsafePointer<CChar>?, _ flags: Int32, _ options: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  guard let opaque = context?.pointee.opaque, flags == AVIO_FLAG_READ else { return enclosure_av_not_permitted }
  let output = Unmanaged<LibavOutput>.fromOpaque(opaque).takeUnretainedValue()
  guard let reader = output.reopen() else { return enclosure_av_not_permitted }
  io?.pointee = reader
  return 0
}

private func closeReopened(
  _ context: UnsafeMutablePointer<AVFormatContext>?, _ io: UnsafeMutablePointer<AVIOContext>?
) -> Int32 {
  guard let opaque = context?.pointee.opaque else { return 0 }
  Unmanaged<LibavOutput>.fromOpaque(opaque).takeUnretainedValue().closeReader()
  return 0
}
