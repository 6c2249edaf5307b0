import CFFmpeg

/// Looks, packet by packet, for what keeps the pictures of a stream from being copied although their codec would not.
struct RemuxObstacles {
  /// What was found, for people, so that it can be the subject of a sentence; nil when there is nothing.
  var found: String? {
    if !pieces.areOne { return "a picture of which the edit list shows several pieces" }
    return changesSets ? "a picture that changes its parameter sets on its way" : nil
  }
  private let stream: UnsafeMutablePointer<AVStream>
  private let isPicture: Bool
  private var parameterSets: RemuxParameterSets?
  private var hasStarted = false
  private var changesSets = false
  private var pieces = EditPieces()

  init(of stream: UnsafeMutablePointer<AVStream>) {
    self.stream = stream
    isPicture = stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
  }

  mutating func take(_ packet: AVPacket) {
    guard isPicture else { return }
    if !hasStarted {
      hasStarted = true
      let bytes = UnsafeRawBufferPointer(start: packet.data, count: Int(max(packet.size, 0)))
      // A stream without parameter sets is refused when it is copied.
      parameterSets = try? RemuxParameterSets(of: stream, firstPacket: [UInt8](bytes))
    }
    _ = pieces.take(packet)
    if !changesSets, parameterSets?.areKnown(packet) == false { changesSets = true }
  }
}
