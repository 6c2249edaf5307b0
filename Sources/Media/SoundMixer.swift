import CFFmpeg
import RichPush

/// Brings decoded sound of any kind into one: 32-bit floats in planes, one or two channels, one sample rate.
final class SoundMixer {
  private let channels: Int32
  private let sampleRate: Int32
  private var layout = AVChannelLayout()
  private var resampler: OpaquePointer?
  private var source: Shape?
  private let waiting: OpaquePointer
  private let scratch: LibavFrame

  /// What has to be the same for two frames to go through one resampler.
  private struct Shape: Equatable {
    var format: AVSampleFormat
    var sampleRate: Int32
    var channels: Int32
    var mask: UInt64

    init(_ frame: AVFrame) {
      format = AVSampleFormat(rawValue: frame.format)
      sampleRate = frame.sample_rate
      channels = frame.ch_layout.nb_channels
      mask = frame.ch_layout.order == AV_CHANNEL_ORDER_NATIVE ? frame.ch_layout.u.mask : 0
    }
  }

  /// - Parameter channels: 1 or 2.
  init(channels: Int, sampleRate: Int) throws(Rejection.Reason) {
    self.channels = Int32(channels)
    self.sampleRate = Int32(sampleRate)
    scratch = try LibavFrame(at: .prepare)
    guard let fifo = av_audio_fifo_alloc(AV_SAMPLE_FMT_FLTP, self.channels, 8192) else {
      throw libavOutOfMemory(at: .prepare)
    }
    waiting = fifo
    av_channel_layout_default(&layout, self.channels)
  }

  deinit {
    swr_free(&resampler)
    av_audio_fifo_free(waiting)
    av_channel_layout_uninit(&layout)
  }

  /// Samples of each channel that can be taken.
  var available: Int { Int(av_audio_fifo_size(waiting)) }

  /// Makes ready for frames such as this one; what came before in another shape is finished.
  func prepare(for frame: UnsafeMutablePointer<AVFrame>) throws(Rejection.Reason) {
    let shape = Shape(frame.pointee)
    guard shape != source else { return }
    try flush()
    source = nil
    var given = AVChannelLayout()
    defer { av_channel_layout_uninit(&given) }
    let isKnown = shape.mask != 0
    if isKnown {
      let status = av_channel_layout_from_mask(&given, shape.mask)
      guard status >= 0 else { throw refused(shape, status) }
    } else {
      av_channel_layout_default(&given, shape.channels)
    }
    var status = swr_alloc_set_opts2(
      &resampler, &layout, AV_SAMPLE_FMT_FLTP, sampleRate, &given, shape.format, shape.sampleRate, 0, nil)
    guard status >= 0, let resampler else { throw refused(shape, status) }
    // Mixing down must not overdrive: the weights of all channels add up to 1 at most.
    av_opt_set_double(UnsafeMutableRawPointer(resampler), "rematrix_maxval", 1, 0)
    if given.order == AV_CHANNEL_ORDER_UNSPEC, shape.channels > 0 {
      // Nobody knows where these channels belong: each is heard on all sides.
      let weights = [Double](repeating: 1 / Double(shape.channels), count: Int(shape.channels * channels))
      status = swr_set_matrix(resampler, weights, shape.channels)
    }
    if status >= 0 { status = swr_init(resampler) }
    guard status >= 0 else { throw refused(shape, status) }
    source = shape
  }

  /// Takes in a part of a frame for which `prepare(for:)` has been called.
  func add(_ frame: UnsafeMutablePointer<AVFrame>, from first: Int, count: Int) throws(Rejection.Reason) {
    guard let shape = source, count > 0 else { return }
    let isPlanar = av_sample_fmt_is_planar(shape.format) != 0
    let size = Int(av_get_bytes_per_sample(shape.format)) * (isPlanar ? 1 : Int(shape.channels))
    let planes = (0..<(isPlanar ? Int(shape.channels) : 1)).map { index -> UnsafePointer<UInt8>? in
      frame.pointee.extended_data[index].map { UnsafePointer($0) + first * size }
    }
    guard planes.allSatisfy({ $0 != nil }) else {
      throw Rejection.Reason(.corrupt, at: .prepare, "the decoder gave a frame of sound without samples")
    }
    try convert(planes, count: Int32(count))
  }

  /// Takes in silence.
  /// - Parameter count: samples of the source, for which `prepare(for:)` has been called.
  func addSilence(count: Int) throws(Rejection.Reason) {
    guard let shape = source, count > 0 else { return }
    let frame = try LibavFrame(at: .prepare)
    let portion: Int32 = 4096
    frame.pointer.pointee.format = shape.format.rawValue
    frame.pointer.pointee.nb_samples = portion
    frame.pointer.pointee.sample_rate = shape.sampleRate
    av_channel_layout_default(&frame.pointer.pointee.ch_layout, shape.channels)
    guard av_frame_get_buffer(frame.pointer, 0) >= 0,
      av_samples_set_silence(frame.pointer.pointee.extended_data, 0, portion, shape.channels, shape.format) >= 0
    else { throw libavOutOfMemory(at: .prepare) }
    var left = count
    while left > 0 {
      let part = min(left, Int(portion))
      try add(frame.pointer, from: 0, count: part)
      left -= part
    }
  }

  /// Brings out what the resampler still holds.
  func flush() throws(Rejection.Reason) {
    guard resampler != nil, source != nil else { return }
    try convert(nil, count: 0)
    swr_free(&resampler)
    source = nil
  }

  /// Fills a frame with the next samples.
  /// - Parameter count: at most `available`.
  func take(_ count: Int, into frame: UnsafeMutablePointer<AVFrame>) throws(Rejection.Reason) {
    try shape(frame, samples: Int32(count))
    let taken = av_audio_fifo_read(waiting, rawPlanes(of: frame), Int32(count))
    guard taken == Int32(count) else { throw libavOutOfMemory(at: .prepare) }
    for channel in 0..<Int(channels) {
      guard let plane = frame.pointee.extended_data[channel] else { continue }
      // The encoder refuses what is no number; what is beyond 1 every player cuts off anyway.
      plane.withMemoryRebound(to: Float.self, capacity: count) { samples in
        for index in 0..<count {
          let value = samples[index]
          samples[index] = value.isFinite ? min(max(value, -1), 1) : 0
        }
      }
    }
  }

  private func convert(_ planes: [UnsafePointer<UInt8>?]?, count: Int32) throws(Rejection.Reason) {
    let room = swr_get_out_samples(resampler, count)
    guard room >= 0 else { throw unable(room) }
    guard room > 0 else { return }
    if scratch.pointer.pointee.nb_samples < room || scratch.pointer.pointee.buf.0 == nil {
      try shape(scratch.pointer, samples: room)
    }
    let output = scratch.pointer.pointee.extended_data
    let made: Int32
    if var planes {
      made = swr_convert(resampler, output, room, &planes, count)
    } else {
      made = swr_convert(resampler, output, room, nil, 0)
    }
    guard made >= 0 else { throw unable(made) }
    guard av_audio_fifo_write(waiting, rawPlanes(of: scratch.pointer), made) == made else {
      throw libavOutOfMemory(at: .prepare)
    }
  }

  /// Gives a frame a fresh buffer in the shape of the output.
  private func shape(_ frame: UnsafeMutablePointer<AVFrame>, samples: Int32) throws(Rejection.Reason) {
    av_frame_unref(frame)
    frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
    frame.pointee.nb_samples = samples
    frame.pointee.sample_rate = sampleRate
    guard av_channel_layout_copy(&frame.pointee.ch_layout, &layout) >= 0, av_frame_get_buffer(frame, 0) >= 0 else {
      throw libavOutOfMemory(at: .prepare)
    }
  }

  private func rawPlanes(
    of frame: UnsafeMutablePointer<AVFrame>
  ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
    UnsafeMutableRawPointer(frame.pointee.extended_data)?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  }

  private func refused(_ shape: Shape, _ status: Int32) -> Rejection.Reason {
    guard status != enclosure_av_out_of_memory else { return libavOutOfMemory(at: .prepare) }
    return Rejection.Reason(
      .unsupportedCodec, at: .prepare,
      "sound of \(shape.channels) channels at \(shape.sampleRate) Hz cannot be mixed down: "
        + libavComplaint(about: status))
  }

  private func unable(_ status: Int32) -> Rejection.Reason {
    guard status != enclosure_av_out_of_memory else { return libavOutOfMemory(at: .prepare) }
    return Rejection.Reason(
      .corrupt, at: .prepare, "the sound cannot be resampled: \(libavComplaint(about: status))")
  }
}
