package import RichPush

/// The question whether a partly present file is a video that need not be fetched any further.
///
/// Asking is free of state: whoever gets `needs` for an answer fetches those bytes and asks again.
package struct GlanceRequest: Codable, Sendable, Equatable {
  /// Where the file's bytes are present, in order and disjoint. The rest of it holds nothing, and is not read.
  package var available: [Range<Int>]
  /// How many bytes there will be; nil when nobody knows.
  package var totalBytes: Int?
  /// A video that is longer than this, in seconds, is long enough to stop looking.
  package var enoughSeconds: Double

  package init(available: [Range<Int>], totalBytes: Int?, enoughSeconds: Double) {
    self.available = available
    self.totalBytes = totalBytes
    self.enoughSeconds = enoughSeconds
  }
}

/// What a partly present file tells.
package enum Glance: Codable, Sendable, Equatable {
  case claims(HeaderClaim)
  /// These bytes, none of them present, would tell more. They lie within the file where its size is known.
  case needs(Range<Int>)
  /// Nothing more to learn before the whole file is there.
  case undecided
}

/// What the beginning of a file, or its index, says about the whole.
package struct HeaderClaim: Codable, Sendable, Equatable {
  package enum Evidence: String, Codable, Sendable {
    /// The container's own words. What they claim too little of shows when the packets are read.
    case header
    /// Packets that were seen: it is at least this long.
    case packets
  }

  package var format: MediaFormat
  package var kind: MediaKind
  /// How long it is presented, edit lists applied.
  package var seconds: Double
  package var evidence: Evidence

  package init(format: MediaFormat, kind: MediaKind, seconds: Double, evidence: Evidence) {
    self.format = format
    self.kind = kind
    self.seconds = seconds
    self.evidence = evidence
  }
}
