import CFFmpeg
import RichPush

/// One opened encoder. Owns libavcodec's context.
final class LibavEncoder {
  let context: UnsafeMutablePointer<AVCodecContext>

  /// - Parameters:
  ///   - name: libavcodec's name of the encoder, such as `aac` or `libx264`.
  ///   - options: the encoder's own.
  /// - Throws: `unsupported_codec` when there is no such encoder or it refuses the settings.
  init(
    _ name: String, options settings: [String: String] = [:], at stage: Rejection.Stage,
    configure: (UnsafeMutablePointer<AVCodecContext>) -> Void
  ) throws(Rejection.Reason) {
    LibavLog.silence()
    guard let encoder = avcodec_find_encoder_by_name(name) else {
      throw Rejection.Reason(.unsupportedCodec, at: stage, "FFmpeg's libraries were built without the encoder \(name)")
    }
    var allocated = avcodec_alloc_context3(encoder)
    guard let context = allocated else { throw libavOutOfMemory(at: stage) }
    // One source at a time is worked on by one thread; the pool has a helper per core.
    context.pointee.thread_count = 1
    // The parameters stand in the container's header, and nothing says which program wrote them.
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT
    configure(context)
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    for (key, value) in settings { av_dict_set(&options, key, value, 0) }
    let status = avcodec_open2(context, encoder, &options)
    guard status >= 0 else {
      avcodec_free_context(&allocated)
      throw Rejection.Reason(
        .unsupportedCodec, at: stage, "the encoder \(name) refuses its settings: \(libavComplaint(about: status))")
    }
    self.context = context
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = context
    avcodec_free_context(&context)
  }

  /// Gives a frame to the encoder; nil tells it that there are no more.
  func send(_ frame: UnsafePointer<AVFrame>?) -> Int32 {
    avcodec_send_frame(context, frame)
  }

  /// Takes the next packet. `enclosure_av_again` asks for more frames, `enclosure_av_eof` says there are no packets.
  func receive(_ packet: UnsafeMutablePointer<AVPacket>) -> Int32 {
    avcodec_receive_packet(context, packet)
  }
}
