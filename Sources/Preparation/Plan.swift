package import RichPush

/// Decides what to do with a source, from what it is alone.
package func plan(
  _ facts: MediaFacts, for profile: Profile = .ios, options: PreparationOptions = PreparationOptions()
) -> Plan {
  do throws(Rejection.Reason) {
    switch facts.content {
    case .image(let image): return .prepare(try planImage(image, of: facts, for: profile, options: options))
    case .video(let video): return .prepare(try planVideo(video, of: facts, for: profile, options: options))
    case .audio(let audio): return .prepare(try planAudio(audio, of: facts, for: profile))
    }
  } catch {
    return .reject(error)
  }
}

/// The kind of attachment that a source of these facts would become.
extension MediaFacts {
  package var kind: MediaKind {
    switch content {
    case .image: .image
    case .video: .video
    case .audio: .audio
    }
  }
}

func requireSize(of facts: MediaFacts, for profile: Profile) throws(Rejection.Reason) {
  let limit = profile.maximumSourceBytes(of: facts.kind)
  guard facts.bytes <= limit else {
    throw Rejection.Reason(
      .tooLarge, at: .plan, "the \(facts.kind.rawValue) has \(facts.bytes) bytes; at most \(limit) are read",
      limit: Double(limit), measured: Double(facts.bytes))
  }
}
