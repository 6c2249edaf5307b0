package import Preparation
import RichPush

/// Finds out what a partly present file shows already, with as few of its bytes as will do.
///
/// It claims nothing that the whole file could disprove, as far as the container's own words can be believed: what
/// `inspect` would not believe stays undecided.
package func glance(_ source: MediaFile, _ request: GlanceRequest) -> Glance {
  let file = PartialFile(source, available: request.available, totalBytes: request.totalBytes)
  do throws(PartialFile.Gap) {
    let head = try file.bytes(at: 0, count: min(Signature.length, file.totalBytes ?? Signature.length))
    guard case .unknown = Signature(head: head, isAnimated: { false }) else { return .undecided }
    guard MovieGlance.recognises(head) else {
      return glanceAtPackets(of: file, head: head, request, believesHeader: true)
    }
    var movie = MovieGlance(file, enoughSeconds: request.enoughSeconds)
    switch try movie.finding() {
    case .duration(let seconds):
      return .claims(
        HeaderClaim(format: isoFormat(beginning: head), kind: .video, seconds: seconds, evidence: .header))
    case .fragments:
      // What the header says of those may be an offset, or the length of the first.
      return glanceAtPackets(of: file, head: head, request, believesHeader: false)
    case nil: return .undecided
    }
  } catch {
    switch error {
    case .missing(let offset): return file.need(from: offset)
    case .ended: return .undecided
    }
  }
}
