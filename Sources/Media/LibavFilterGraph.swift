import CFFmpeg
import RichPush

/// A chain of libavfilter's filters for pictures, from frames in to frames out. Owns libavfilter's graph.
final class LibavFilterGraph {
  private let graph: UnsafeMutablePointer<AVFilterGraph>
  private let source: UnsafeMutablePointer<AVFilterContext>
  private let sink: UnsafeMutablePointer<AVFilterContext>

  /// - Parameters:
  ///   - description: the filters as FFmpeg writes them, without a space.
  ///   - frame: a frame of the size and format that all have.
  ///   - timeBase: of the frames' times.
  init(
    _ description: String, like frame: AVFrame, timeBase: AVRational
  ) throws(Rejection.Reason) {
    var allocated = avfilter_graph_alloc()
    guard let graph = allocated else { throw libavOutOfMemory(at: .prepare) }
    // One source at a time is worked on by one thread.
    graph.pointee.nb_threads = 1
    av_opt_set(graph, "scale_sws_opts", "flags=bicubic", 0)
    var source: UnsafeMutablePointer<AVFilterContext>?
    var sink: UnsafeMutablePointer<AVFilterContext>?
    let status = LibavFilterGraph.connect(graph, description, frame, timeBase, &source, &sink)
    guard status >= 0, let source, let sink else {
      avfilter_graph_free(&allocated)
      guard status != enclosure_av_out_of_memory else { throw libavOutOfMemory(at: .prepare) }
      throw Rejection.Reason(
        .unsupportedCodec, at: .prepare,
        "the pictures cannot be converted by \(description): \(libavComplaint(about: status))")
    }
    (self.graph, self.source, self.sink) = (graph, source, sink)
  }

  deinit {
    var graph: UnsafeMutablePointer<AVFilterGraph>? = graph
    avfilter_graph_free(&graph)
  }

  /// Of the times of frames that come out.
  var timeBase: AVRational { av_buffersink_get_time_base(sink) }

  /// Gives a frame to the first filter, which takes its content; nil tells that there are no more.
  /// - Returns: 0, or libavfilter's error code.
  func send(_ frame: UnsafeMutablePointer<AVFrame>?) -> Int32 {
    av_buffersrc_add_frame_flags(source, frame, 0)
  }

  /// Takes the next frame. `enclosure_av_again` asks for more frames, `enclosure_av_eof` says there are none.
  func receive(_ frame: UnsafeMutablePointer<AVFrame>) -> Int32 {
    av_buffersink_get_frame(sink, frame)
  }

  private static func connect(
    _ graph: UnsafeMutablePointer<AVFilterGraph>, _ description: String, _ frame: AVFrame, _ timeBase: AVRational,
    _ source: inout UnsafeMutablePointer<AVFilterContext>?, _ sink: inout UnsafeMutablePointer<AVFilterContext>?
  ) -> Int32 {
    let size = "video_size=\(frame.width)x\(frame.height)"
    let settings = "\(size):pix_fmt=\(frame.format):time_base=\(timeBase.num)/\(timeBase.den):pixel_aspect=1/1"
    var status = avfilter_graph_create_filter(&source, avfilter_get_by_name("buffer"), "in", settings, nil, graph)
    guard status >= 0 else { return status }
    status = avfilter_graph_create_filter(&sink, avfilter_get_by_name("buffersink"), "out", nil, nil, graph)
    guard status >= 0 else { return status }
    var outputs = avfilter_inout_alloc()
    var inputs = avfilter_inout_alloc()
    defer {
      avfilter_inout_free(&outputs)
      avfilter_inout_free(&inputs)
    }
    guard let output = outputs, let input = inputs else { return enclosure_av_out_of_memory }
    output.pointee.name = av_strdup("in")
    output.pointee.filter_ctx = source
    input.pointee.name = av_strdup("out")
    input.pointee.filter_ctx = sink
    status = avfilter_graph_parse_ptr(graph, description, &inputs, &outputs, nil)
    return status >= 0 ? avfilter_graph_config(graph, nil) : status
  }
}
