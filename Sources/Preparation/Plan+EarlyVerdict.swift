package import RichPush

extension Profile {
  /// Seconds of video beyond which no grace reaches, whatever the frame rate.
  package var enoughSeconds: Double { maximumVideoDuration + maximumGrace }
}

/// Decides whether what a partly present source claims is reason enough to fetch no more of it.
/// - Returns: nil for everything that has to be looked at whole. A claim of little is no promise: the packets are read
///   when they are there.
package func earlyRejection(of claim: HeaderClaim, for profile: Profile = .ios) -> Rejection.Reason? {
  // How long a frame lasts is not known yet, so the longest grace counts.
  guard claim.kind == .video, claim.seconds.isFinite, claim.seconds > profile.enoughSeconds + timeBaseRounding else {
    return nil
  }
  return tooLong(claim.seconds, isAtLeast: claim.evidence == .packets, at: .fetch, for: profile)
}

/// Time bases that do not divide a second leave a trace in the last digits.
let timeBaseRounding = 0.000_5

func tooLong(
  _ seconds: Double, isAtLeast: Bool = false, at stage: Rejection.Stage, for profile: Profile
) -> Rejection.Reason {
  let limit = profile.maximumVideoDuration
  return Rejection.Reason(
    .videoTooLong, at: stage,
    "the video lasts \(isAtLeast ? "at least " : "")\(rounded(seconds)) s; at most \(rounded(limit)) s can be attached",
    limit: limit, measured: seconds)
}
