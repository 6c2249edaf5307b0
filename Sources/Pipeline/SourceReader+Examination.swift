import MediaChannel
import Preparation
import RichPush
import Transfer

extension SourceReader {
  /// Has a helper look at what has come of a video, so that a long one is rejected as soon as that shows.
  /// - Parameter spool: the file that it is downloaded into.
  func examiner(of spool: OpenFile, record: FetchRecord) -> Examiner {
    { [helpers, profile] body throws(Rejection.Reason) in
      record.note(body)
      let request = GlanceRequest(
        available: body.available, totalBytes: body.totalBytes, enoughSeconds: profile.enoughSeconds)
      let outcome: HelperReply.Outcome
      do {
        outcome = try await helpers.perform(.glance(request), files: [spool])
      } catch is CancellationError {
        throw Rejection.Reason(.fetchFailed, at: .fetch, "the transfer was given up")
      } catch {
        // A helper that stumbles over a part says nothing about the whole.
        return .enough
      }
      guard case .glance(let glance) = outcome else { throw unexpectedAnswer(at: .fetch) }
      switch glance {
      case .needs(let range): return .needs(range)
      case .undecided: return .enough
      case .claims(let claim):
        record.note(claim)
        if let reason = earlyRejection(of: claim, for: profile) { throw reason }
        return .enough
      }
    }
  }
}
