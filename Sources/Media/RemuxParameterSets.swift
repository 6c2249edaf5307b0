import CFFmpeg
import RichPush

/// The parameter sets of an H.264 or HEVC stream. In `avc1` and `hvc1` they stand in the sample entry and nowhere else.
final class RemuxParameterSets {
  init?(of stream: UnsafeMutablePointer<AVStream>, _ input: LibavInput) throws(Rejection.Reason) {
    return nil
  }

  /// Puts the parameter sets where the muxer looks for them.
  func describe(_ output: UnsafeMutablePointer<AVStream>) throws(Rejection.Reason) {}

  /// Takes the parameter sets out of a packet.
  func check(_ packet: UnsafeMutablePointer<AVPacket>) throws(Rejection.Reason) {}
}
