import CFFmpeg

/// Follows the packets of a track as its edit list presents them: which of the hidden ones are needed, and whether what
/// is presented can be copied in one piece.
///
/// libavformat gives hidden packets where an edit starts between key frames, where pictures shown after the end are
/// needed by such shown before it, and behind the end of an edit. Those shown before the beginning or
/// behind the end stay hidden in a copy. Others would be seen.
struct EditPieces {
  private struct Hidden {
    var decoding: Int64
    var presentation: Int64
    var isKey: Bool
  }

  private var hidden: [Hidden] = []
  private var hasPresented = false
  private var last: Int64?
  /// When the hidden packets between presented ones would be seen.
  private var seen: [Int64] = []
  /// When the first of the presented ones is seen, and until when the last is.
  private var start: Int64?
  private var end: Int64?
  private var goesBack = false

  /// - Returns: for a packet that is presented, how many of the hidden ones since the last, from the first on, are not
  ///   needed; 0 for a hidden one.
  mutating func take(_ packet: AVPacket) -> Int {
    let isKey = packet.flags & AV_PKT_FLAG_KEY != 0
    let none = enclosure_av_no_timestamp
    let presentation = packet.pts != none ? packet.pts : packet.dts
    guard packet.flags & AV_PKT_FLAG_DISCARD == 0 else {
      hidden.append(Hidden(decoding: packet.dts, presentation: presentation, isKey: isKey))
      return 0
    }
    let unneeded = isKey ? hidden.count : hidden.lastIndex(where: \.isKey) ?? 0
    if hasPresented {
      for needed in hidden[unneeded...] {
        if let last, needed.decoding <= last { goesBack = true }
        seen.append(needed.presentation)
      }
    }
    hidden = []
    hasPresented = true
    if packet.dts != none { last = packet.dts }
    if presentation != none {
      start = min(start ?? presentation, presentation)
      let (until, overflow) = presentation.addingReportingOverflow(max(packet.duration, 1))
      if !overflow { end = max(end ?? until, until) }
    }
    return unneeded
  }

  /// Whether all that was taken can be copied in one piece.
  var areOne: Bool {
    guard !goesBack else { return false }
    guard let start, let end else { return true }
    return !seen.contains { (start..<end).contains($0) }
  }
}
