import CFFmpeg
import RichPush

/// An opened container. Owns libavformat's context and what it reads through.
///
/// Nothing but the given file is ever read: the containers that open other files or the network (playlists, image
/// series, session descriptions …) are not among those allowed, no protocol is, and the callback that would open one
/// refuses.
final class LibavInput {
  let context: UnsafeMutablePointer<AVFormatContext>
  let stage: Rejection.Stage
  private let io: LibavReadIO
  /// The file, where it is there as a whole.
  private let file: MediaFile?
  private var seams: TimelineSeams?
  /// The ids of encrypted tracks, which the boxes tell and libavformat does not.
  private(set) lazy var encryptedTracks = Set(
    file.map { ISOTrack.tracks(of: $0).filter(\.isEncrypted).map(\.id) } ?? [])

  /// Whether the file was written without its end being known: then it ends where it ends, in a packet or not.
  private lazy var isStreamed = file.map { TimelineEnding(of: $0, self) == .streamed } ?? false

  /// More streams than this are not a film.
  static let maximumStreams = 64
  /// The most pixels of one picture that are decoded. 100 million is 400 MB of RGBA.
  static let maximumPixels = 100_000_000

  /// Opens a container and reads its header.
  /// - Parameters:
  ///   - demuxer: libavformat's name of the only container that is meant; nil to find out by the bytes.
  ///   - isSeekable: whether it may jump about in the file; otherwise it is read from its beginning on.
  /// - Throws: `unsupported_type` when the bytes are none of the containers that are read, `corrupt` when the header
  ///   makes no sense, `fetch_failed` when the file cannot be read.
  init(
    _ source: any LibavSource, demuxer: String? = nil, isSeekable: Bool = true, at stage: Rejection.Stage
  ) throws(Rejection.Reason) {
    LibavLog.silence()
    let io = LibavReadIO(source, isSeekable: isSeekable)
    guard let reader = io.pointer else { throw libavOutOfMemory(at: stage) }
    let format = try LibavInput.format(of: io, reader, demuxer: demuxer, at: stage)

    var opened = avformat_alloc_context()
    guard let context = opened else { throw libavOutOfMemory(at: stage) }
    context.pointee.pb = reader
    context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
    context.pointee.max_streams = Int32(LibavInput.maximumStreams)
    context.pointee.io_open = refuseToOpen
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    // A list of protocols that matches none.
    av_dict_set(&options, "protocol_whitelist", "none", 0)
    av_dict_set(&options, "format_whitelist", LibavInput.allowedFormats, 0)
    // Enough to find every stream of a transport stream, little enough not to read a film twice.
    av_dict_set(&options, "probesize", "10000000", 0)
    av_dict_set(&options, "analyzeduration", "10000000", 0)
    av_dict_set(&options, "max_index_size", "67108864", 0)

    let status = avformat_open_input(&opened, nil, format, &options)
    guard status >= 0, let opened else {
      // libavformat has freed the context.
      throw LibavInput.reason(for: status, io: io, format: format, at: stage)
    }
    self.context = opened
    self.stage = stage
    self.io = io
    file = source as? MediaFile
    seams = TimelineSeams.occur(in: formatName) ? TimelineSeams() : nil
  }

  deinit {
    var context: UnsafeMutablePointer<AVFormatContext>? = context
    avformat_close_input(&context)
  }

  /// libavformat's names of the container, separated by commas.
  var formatName: String {
    context.pointee.iformat.pointee.name.map { String(cString: $0) } ?? ""
  }

  var streamCount: Int { Int(context.pointee.nb_streams) }

  func stream(_ index: Int) -> UnsafeMutablePointer<AVStream>? {
    guard index >= 0, index < streamCount else { return nil }
    return context.pointee.streams[index]
  }

  /// Reads as far into the file as is needed to know what each stream is.
  func findStreams() throws(Rejection.Reason) {
    let count = streamCount
    guard count <= LibavInput.maximumStreams else { throw tooManyStreams }
    var options = [OpaquePointer?](repeating: nil, count: max(count, 1))
    for index in options.indices {
      av_dict_set(&options[index], "max_pixels", "\(LibavInput.maximumPixels)", 0)
      av_dict_set(&options[index], "threads", "1", 0)
    }
    let status = avformat_find_stream_info(context, &options)
    for index in options.indices { av_dict_free(&options[index]) }
    try check()
    guard status >= 0 else {
      throw Rejection.Reason(
        .corrupt, at: stage, "what the file's streams are cannot be told: \(libavComplaint(about: status))")
    }
    guard streamCount <= LibavInput.maximumStreams else { throw tooManyStreams }
  }

  /// Reads the next packet of any stream, its times put in order where recordings were joined.
  /// - Returns: a negative number at the end, or where the container makes no more sense; `check()` tells trouble with
  ///   the file. `enclosure_av_again` asks for another call.
  func read(into packet: UnsafeMutablePointer<AVPacket>) -> Int32 {
    av_packet_unref(packet)
    let status = av_read_frame(context, packet)
    if status >= 0, packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0, isStreamed {
      packet.pointee.flags &= ~AV_PKT_FLAG_CORRUPT
    }
    if status >= 0, seams != nil, let stream = stream(Int(packet.pointee.stream_index)) {
      seams?.join(packet, timeBase: stream.pointee.time_base)
    }
    return status
  }

  /// Whether libavformat failed because the file could not be read, or because it went round in circles.
  func check() throws(Rejection.Reason) {
    if let reason = LibavInput.trouble(with: io, at: stage) { throw reason }
  }

  private var tooManyStreams: Rejection.Reason {
    Rejection.Reason(
      .corrupt, at: stage, "the file has \(streamCount) streams; at most \(LibavInput.maximumStreams) are read",
      limit: Double(LibavInput.maximumStreams), measured: Double(streamCount))
  }
}

extension LibavInput {
  /// The containers that are read, by libavformat's names. None of them opens another file.
  static let allowedFormats = [
    "3dostr", "aac", "ac3", "aiff", "amr", "ape", "apng", "asf", "au", "av1", "avi", "caf", "dts", "dv", "eac3", "flac",
    "flv", "gif", "gxf", "h264", "hevc", "ico", "ivf", "loas", "lxf", "m4v", "matroska,webm", "mov,mp4,m4a,3gp,3g2,mj2",
    "mp3", "mpc", "mpc8", "mpeg", "mpegts", "mpegvideo", "mxf", "nut", "obu", "ogg", "rm", "tak", "truehd", "tta",
    "vc1", "voc", "w64", "wav", "wtv", "wv", "xwma",
  ].joined(separator: ",")

  /// Probes that score less are guesses: libavformat takes some texts and random bytes for sound. For MP3 this very
  /// score says that most of the bytes looked at are whole frames.
  private static func isGuess(_ score: Int32, _ format: UnsafePointer<AVInputFormat>) -> Bool {
    let least = AVPROBE_SCORE_MAX / 4
    return score < least || (score == least && String(cString: format.pointee.name) != "mp3")
  }

  private static func format(
    of io: LibavReadIO, _ reader: UnsafeMutablePointer<AVIOContext>, demuxer: String?, at stage: Rejection.Stage
  ) throws(Rejection.Reason) -> UnsafePointer<AVInputFormat> {
    if let demuxer {
      guard let format = av_find_input_format(demuxer) else {
        throw Rejection.Reason(.unsupportedType, at: stage, "FFmpeg's libraries were built without \(demuxer)")
      }
      return format
    }
    var format: UnsafePointer<AVInputFormat>?
    let score = av_probe_input_buffer2(reader, &format, nil, nil, 0, 0)
    if let reason = trouble(with: io, at: stage) { throw reason }
    guard let format, !isGuess(score, format) else {
      throw Rejection.Reason(
        .unsupportedType, at: stage, "the bytes are no format of picture, sound or video that is known")
    }
    let name = format.pointee.name.map { String(cString: $0) } ?? ""
    guard allowedFormats.split(separator: ",").contains(where: { name.split(separator: ",").contains($0) }) else {
      throw Rejection.Reason(.unsupportedType, at: stage, "the bytes look like \(name), which is not read")
    }
    return format
  }

  private static func reason(
    for status: Int32, io: LibavReadIO, format: UnsafePointer<AVInputFormat>, at stage: Rejection.Stage
  ) -> Rejection.Reason {
    if let reason = trouble(with: io, at: stage) { return reason }
    let name = plainName(of: format)
    if status == enclosure_av_out_of_memory {
      // So libavformat calls it as well when there are more streams than it was allowed, or a table is said to be so
      // long that it does not even try.
      guard hasMemoryLeft else { return libavOutOfMemory(at: stage) }
      return Rejection.Reason(
        .corrupt, at: stage,
        "the header of the \(name) file says that it has more than \(maximumStreams) streams, or tables that are"
          + " longer than memory")
    }
    return Rejection.Reason(
      .corrupt, at: stage, "the header of the \(name) file cannot be read: \(libavComplaint(about: status))")
  }

  /// What people call a container; libavformat lists all that it reads alike.
  private static func plainName(of format: UnsafePointer<AVInputFormat>) -> String {
    let name = format.pointee.name.map { String(cString: $0) } ?? ""
    switch name {
    case "mov,mp4,m4a,3gp,3g2,mj2": return "MP4 or QuickTime"
    case "matroska,webm": return "Matroska or WebM"
    default: return name
    }
  }

  /// Whether this process may have more memory than any sensible header needs.
  private static var hasMemoryLeft: Bool {
    let probe = av_malloc(256 << 20)
    av_free(probe)
    return probe != nil
  }

  private static func trouble(with io: LibavReadIO, at stage: Rejection.Stage) -> Rejection.Reason? {
    if let failure = io.failure {
      return Rejection.Reason(
        .fetchFailed, at: stage, "the source could not be read: \(libavDescription(of: -failure))")
    }
    if io.isExhausted {
      return Rejection.Reason(.corrupt, at: stage, "the file leads its reader round in circles")
    }
    return nil
  }
}

private func refuseToOpen(
  _ context: UnsafeMutablePointer<AVFormatContext>?, _ io: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?,
  _ url: UnsafePointer<CChar>?, _ flags: Int32, _ options: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  enclosure_av_not_permitted
}
