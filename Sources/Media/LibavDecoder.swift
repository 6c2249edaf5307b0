import CFFmpeg
import RichPush

/// One opened decoder. Owns libavcodec's context.
final class LibavDecoder {
  let context: UnsafeMutablePointer<AVCodecContext>

  /// - Parameter parameters: what the container says about the stream; nil when the bytes come without one.
  /// - Throws: `unsupported_codec` when there is no decoder or it does not know this kind of stream, `corrupt` when what
  ///   the container says about the stream makes no sense to it.
  init(
    _ codec: AVCodecID, parameters: UnsafePointer<AVCodecParameters>? = nil, at stage: Rejection.Stage,
    configure: (UnsafeMutablePointer<AVCodecContext>) -> Void = { _ in }
  ) throws(Rejection.Reason) {
    LibavLog.silence()
    guard let decoder = avcodec_find_decoder(codec) else {
      let name = String(cString: avcodec_get_name(codec))
      throw Rejection.Reason(.unsupportedCodec, at: stage, "there is no decoder for \(name)")
    }
    var allocated = avcodec_alloc_context3(decoder)
    guard let context = allocated else { throw libavOutOfMemory(at: stage) }
    var status: Int32 = 0
    if let parameters { status = avcodec_parameters_to_context(context, parameters) }
    // One source at a time is worked on by one thread; the pool has a helper per core.
    context.pointee.thread_count = 1
    context.pointee.max_pixels = Int64(LibavInput.maximumPixels)
    configure(context)
    if status >= 0 { status = avcodec_open2(context, decoder, nil) }
    guard status >= 0 else {
      avcodec_free_context(&allocated)
      guard status != enclosure_av_out_of_memory else { throw libavOutOfMemory(at: stage) }
      let name = String(cString: avcodec_get_name(codec))
      let isDamaged = status == enclosure_av_invalid_data || status == enclosure_av_not_permitted
      throw Rejection.Reason(
        isDamaged ? .corrupt : .unsupportedCodec, at: stage,
        "the decoder of \(name) refuses the stream: \(libavComplaint(about: status))")
    }
    self.context = context
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = context
    avcodec_free_context(&context)
  }

  /// Gives a packet to the decoder; nil tells it that there are no more.
  /// - Returns: 0, or libavcodec's error code; `enclosure_av_again` when frames have to be taken first.
  func send(_ packet: UnsafePointer<AVPacket>?) -> Int32 {
    avcodec_send_packet(context, packet)
  }

  /// Takes the next frame. `enclosure_av_again` asks for more packets, `enclosure_av_eof` says there are none.
  func receive(_ frame: UnsafeMutablePointer<AVFrame>) -> Int32 {
    avcodec_receive_frame(context, frame)
  }
}

/// Owner of one AVPacket.
final class LibavPacket {
  let pointer: UnsafeMutablePointer<AVPacket>

  init(at stage: Rejection.Stage) throws(Rejection.Reason) {
    guard let pointer = av_packet_alloc() else { throw libavOutOfMemory(at: stage) }
    self.pointer = pointer
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVPacket>? = pointer
    av_packet_free(&pointer)
  }
}

/// Owner of one AVFrame.
final class LibavFrame {
  let pointer: UnsafeMutablePointer<AVFrame>

  init(at stage: Rejection.Stage) throws(Rejection.Reason) {
    guard let pointer = av_frame_alloc() else { throw libavOutOfMemory(at: stage) }
    self.pointer = pointer
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVFrame>? = pointer
    av_frame_free(&pointer)
  }
}
