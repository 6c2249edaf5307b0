import CFFmpeg
import Preparation
import RichPush

/// Reads a container from its beginning to the first byte that is missing: its header, and where that says nothing the
/// packets, until the pictures have been shown for long enough.
/// - Parameters:
///   - head: the file's first bytes.
///   - believesHeader: whether a duration in the header counts.
func glanceAtPackets(
  of file: PartialFile, head: [UInt8], _ request: GlanceRequest, believesHeader: Bool
) -> Glance {
  var view = SequentialView(file: file, head: head, request: request)
  // Whatever is wrong with the file, the whole of it shows that better.
  try? view.read(believesHeader: believesHeader)
  return view.finding
}

/// What reading in sequence has shown so far.
private struct SequentialView {
  let file: PartialFile
  let head: [UInt8]
  let request: GlanceRequest
  private var claim: HeaderClaim?
  /// Seconds that all pictures so far are shown, of the stream with the fewest.
  private var shown = 0.0
  private var hasPicture = false

  /// Streams of pictures announce themselves sooner.
  private static let enoughWithoutPicture = 8 << 20

  init(file: PartialFile, head: [UInt8], request: GlanceRequest) {
    self.file = file
    self.head = head
    self.request = request
  }

  mutating func read(believesHeader: Bool) throws(Rejection.Reason) {
    // Where it could jump, a demuxer would look for an index at the end at once.
    let input = try LibavInput(file, isSeekable: false, at: .fetch)
    let format = input.format(beginning: Array(head.prefix(64)))
    if believesHeader, let seconds = input.claimedDuration() {
      claim = HeaderClaim(format: format, kind: .video, seconds: seconds, evidence: .header)
      return
    }
    try readPackets(of: input, format)
    guard claim == nil, believesHeader, hasPicture, let seconds = input.containerDuration,
      seconds <= request.enoughSeconds
    else { return }
    // Only reading everything could show that it is longer.
    claim = HeaderClaim(format: format, kind: .video, seconds: seconds, evidence: .header)
  }

  private mutating func readPackets(of input: LibavInput, _ format: MediaFormat) throws(Rejection.Reason) {
    let packet = try LibavPacket(at: input.stage)
    var spans: [Int: PresentedSpan] = [:]
    while true {
      let status = input.read(into: packet.pointer)
      if status == enclosure_av_again { continue }
      guard status >= 0 else { break }
      let current = packet.pointer.pointee
      let index = Int(current.stream_index)
      // A time that had to be guessed proves nothing.
      guard let stream = input.stream(index), stream.isPicture, current.pts != enclosure_av_no_timestamp else {
        continue
      }
      spans[index, default: PresentedSpan()].add(current, timeBase: stream.pointee.time_base, framePeriod: nil)
      guard let length = spans[index]?.length, length > request.enoughSeconds else { continue }
      let shortest = input.pictureIndices().map { spans[$0]?.length ?? 0 }.min() ?? 0
      if shortest > request.enoughSeconds {
        claim = HeaderClaim(format: format, kind: .video, seconds: shortest, evidence: .packets)
        return
      }
    }
    hasPicture = !input.pictureIndices().isEmpty
    shown = input.pictureIndices().map { spans[$0]?.length ?? 0 }.min() ?? 0
  }

  var finding: Glance {
    if let claim { return .claims(claim) }
    guard let missing = file.blocked, hasPicture || missing < Self.enoughWithoutPicture else { return .undecided }
    return file.need(from: missing, count: wish(beyond: missing))
  }

  /// How many more bytes will probably show enough, by what the ones so far show: at least as many again as are
  /// useful, and no more than three times those that are there, because beginnings are not like the rest.
  private func wish(beyond missing: Int) -> Int {
    let most = max(missing, PartialFile.usefulBytes) * 3
    guard shown > 0.1 else { return max(missing, PartialFile.usefulBytes) }
    let whole = Double(missing) * (request.enoughSeconds + 1) / shown
    return min(max(Int(min(whole, 1e12)) - missing, PartialFile.usefulBytes), most)
  }
}

extension LibavInput {
  /// The streams that `inspect` may take for the picture.
  fileprivate func pictureIndices() -> [Int] {
    (0..<streamCount).filter { stream($0)?.isPicture ?? false }
  }

  /// What the container's header says of the whole file, in seconds.
  fileprivate var containerDuration: Double? {
    guard context.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE,
      let duration = seconds(context.pointee.duration, AVRational(num: 1, den: AV_TIME_BASE)), duration > 0
    else { return nil }
    return duration
  }

  /// What the header says of the pictures, in seconds; nil when it says nothing, or only of everything together, which
  /// may be a long sound with a short picture.
  fileprivate func claimedDuration() -> Double? {
    guard context.pointee.ctx_flags & AVFMTCTX_NOHEADER == 0 else { return nil }
    let pictures = pictureIndices()
    guard !pictures.isEmpty else { return nil }
    let container = containerDuration
    if let container, streamCount == 1 { return stream(pictures[0])?.ownDuration ?? container }
    var shortest: Double?
    for index in pictures {
      let own = hasDurationsOfStreams ? stream(index)?.ownDuration : nil
      guard let duration = own ?? stream(index)?.taggedDuration(within: container) else { return nil }
      shortest = min(shortest ?? duration, duration)
    }
    return shortest
  }
}

extension UnsafeMutablePointer<AVStream> {
  fileprivate var isPicture: Bool {
    pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO && !isCoverArt
  }

  /// What the header says of this stream.
  fileprivate var ownDuration: Double? {
    guard let duration = seconds(pointee.duration, pointee.time_base), duration > 0 else { return nil }
    return duration
  }

  /// What Matroska's writers put into the tag DURATION of a track. Old tags survive some tools: the container has to
  /// be as long.
  fileprivate func taggedDuration(within container: Double?) -> Double? {
    guard let container,
      let value = av_dict_get(pointee.metadata, "DURATION", nil, AV_DICT_IGNORE_SUFFIX)?.pointee.value,
      let duration = clockSeconds(String(cString: value)), duration > 0
    else { return nil }
    return min(duration, container)
  }
}

/// The seconds of a time like `01:00:02.500000000`.
func clockSeconds(_ text: String) -> Double? {
  let parts = text.split(separator: ":", omittingEmptySubsequences: false)
  guard parts.count == 3, let hours = UInt32(parts[0]), let minutes = UInt32(parts[1]), let seconds = Double(parts[2]),
    minutes < 60, seconds >= 0, seconds < 61
  else { return nil }
  return Double(hours) * 3600 + Double(minutes) * 60 + seconds
}
