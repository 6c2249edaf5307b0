import CFFmpeg
import Preparation
import RichPush

/// One stream on its way into the output. It adds its stream to the output when it is made; packets come once the
/// container's header is written.
protocol TranscodeTrack: AnyObject {
  /// The muxer has settled the time bases of the output's streams.
  func start()
  /// Takes a packet of the source, in order of decoding. Its content may be taken away.
  func take(_ packet: UnsafeMutablePointer<AVPacket>, _ output: LibavOutput) throws(Rejection.Reason)
  /// The source has no more packets: what is still under way is written.
  /// - Throws: `corrupt` when nothing or too little of the stream could be decoded.
  func finish(_ output: LibavOutput) throws(Rejection.Reason)
  /// When the last of the stream is presented, in seconds of the output, where the muxer cannot tell; nil to leave it
  /// to the muxer.
  var presentedEnd: Double? { get }
  /// Whether nothing that follows is presented.
  var isComplete: Bool { get }
  /// Seconds that were left out behind the end; nil when none were.
  var lostSeconds: Double? { get }
  /// What was done, for people.
  var steps: [String] { get }
  /// What was given up, for the sender to know.
  var reductions: [String] { get }
}

/// A stream that is copied beside one that is encoded.
final class CopyTrack: TranscodeTrack {
  private let track: RemuxTrack
  private let step: String

  /// - Parameter track: its stream has been added to the output.
  init(_ track: RemuxTrack, step: String) {
    self.track = track
    self.step = step
  }

  func start() {
    track.startClock()
  }

  func take(_ packet: UnsafeMutablePointer<AVPacket>, _ output: LibavOutput) throws(Rejection.Reason) {
    try track.take(packet, output)
  }

  func finish(_ output: LibavOutput) throws(Rejection.Reason) {
    try track.requirePackets()
  }

  var presentedEnd: Double? { track.presentedEnd }
  var isComplete: Bool { track.isComplete }
  var lostSeconds: Double? { track.lostSeconds }

  var steps: [String] { [step] + track.mending }

  var reductions: [String] { [] }
}

/// The step of what shows only the beginning of its source.
func cut(to limit: Double) -> String { "cut to the first \(rounded(limit)) s" }

/// What the sender is told of a sound that goes on behind the picture.
/// - Parameters:
///   - end: where the sound ends now, in seconds.
///   - lost: seconds that were cut off.
func lostSound(after end: Double, _ lost: Double) -> String {
  "the sound ends at \(rounded(end)) s; \(rounded(lost)) s of it were cut off"
}
