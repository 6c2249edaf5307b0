/// What has come of a body so far.
package struct PartialBody: Sendable, Equatable {
  package var head: DownloadHead
  /// The bytes that are in the file: sorted, without overlaps.
  package var available: [Range<Int>]
  /// The size of the whole body, where the server says it.
  package var totalBytes: Int?
  /// Whether the server gives any part that is asked for.
  package var canFetchRanges: Bool

  package init(head: DownloadHead, available: [Range<Int>], totalBytes: Int?, canFetchRanges: Bool) {
    self.head = head
    self.available = available
    self.totalBytes = totalBytes
    self.canFetchRanges = canFetchRanges
  }
}

/// What an examiner wants next.
package enum Examination: Sendable, Equatable {
  /// These bytes, to be asked again when they are there.
  case needs(Range<Int>)
  /// Nothing: the rest is fetched, and the examiner is not asked again.
  case enough
}

/// How much is fetched for an examiner before the rest is.
enum ExaminationBudget {
  /// The first request: enough for the header of most containers.
  static let firstBytes = 65_536
  /// The least that a further request asks for.
  static let leastBytes = 16_384
  static let requests = 16
  /// Who wants to see the bytes that follow gets them in parts up to here, from where on they come as a stream.
  static let contiguousBytes = 1 << 20
  /// In parts, the first request included. What lies beyond comes with the stream.
  static let bytes = 8 << 20
  /// How much of a body that is announced as too large is still received, where the server cannot send parts: what an
  /// examiner finds in it is the more helpful reason. The index of a film of two hours is as large.
  static let probationBytes = 4 << 20
  /// A present piece of up to so many bytes is fetched again rather than asking the server once more.
  static let negligibleBytes = 131_072
  /// No video is larger (4 TiB): a server that says so errs or lies, and nothing that far ahead is asked for. That
  /// also keeps sums of what servers and files claim from overflowing.
  static let largestVideo = 1 << 42
}
