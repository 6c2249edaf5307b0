import AssetStore
import Preparation
import RichPush
import Transfer

/// Something the sender may want to know about a source.
typealias Remark = (code: Warning.Code, message: String)

extension Asset {
  init(_ stored: StoredAsset, _ file: PreparedFile, at address: PublicAddress?) {
    self.init(
      type: file.type, location: stored.location, url: address?.url(of: stored.location), bytes: stored.bytes,
      sha256: stored.sha256, width: file.width, height: file.height, frames: file.frames, duration: file.duration)
  }
}

/// A video's still in the store, and how it was made.
struct StoredPoster: Codable, Sendable, Equatable {
  let stored: StoredAsset
  let made: PreparedPoster

  /// What was done, for people, among what was done to the video.
  var steps: [String] { ["made a poster of the picture at \(rounded(made.seconds)) s"] }
}

extension OpenSource {
  /// What the manifest says about the source.
  func description(named name: String, _ facts: MediaFacts, sha256: String) -> SourceDescription {
    var description = SourceDescription(
      url: name, finalURL: download?.finalURL, declaredType: download?.declaredType, format: facts.format.rawValue,
      bytes: facts.bytes, bytesFetched: download?.bytesFetched, sha256: sha256)
    switch facts.content {
    case .image(let image):
      (description.width, description.height) = (image.width, image.height)
      description.duration = image.duration
    case .video(let video):
      (description.width, description.height) = (video.width, video.height)
      description.duration = video.duration.presented
    case .audio(let audio): description.duration = audio.duration.presented
    }
    return description
  }

  /// Where what the source is called differs from what it is.
  func remarks(_ facts: MediaFacts) -> [Remark] {
    var remarks: [Remark] = []
    if let type = download?.declaredType, let claimed = ClaimedType(contentType: type), !claimed.allows(facts.format) {
      remarks.append((.typeMismatch, "served as \(type), contains \(facts.format.rawValue)"))
    }
    if let claimedExtension, let claimed = ClaimedType(fileExtension: claimedExtension),
      !claimed.allows(facts.format)
    {
      remarks.append((.typeMismatch, "named .\(claimedExtension), contains \(facts.format.rawValue)"))
    }
    return remarks
  }
}
