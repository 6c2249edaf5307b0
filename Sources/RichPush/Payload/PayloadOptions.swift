/// How large a payload may be, in bytes of UTF-8 as it is sent. APNs refuses a larger one as a whole (413,
/// PayloadTooLarge).
public enum PayloadLimit: Sendable, CaseIterable {
  /// What alerts and everything else have.
  case notification
  /// Pushes of type `voip`.
  case voip

  /// Apple, “Sending notification requests to APNs”.
  public var bytes: Int {
    switch self {
    case .notification: 4096
    case .voip: 5120
    }
  }
}

/// What to make of a notification and its media.
public struct PayloadOptions: Sendable, Equatable {
  public var limit: PayloadLimit
  /// The SDKs that shall find the media, besides what reads the key `enclosure`.
  public var presets: [PayloadPreset]
  /// Whether the key `enclosure` is written.
  public var includesContent: Bool
  /// Whether a body that does not fit may be cut, at the end of a character, with an ellipsis. It is the last thing to
  /// give way.
  public var mayShortenBody: Bool

  public init(
    limit: PayloadLimit = .notification, presets: [PayloadPreset] = [], includesContent: Bool = true,
    mayShortenBody: Bool = false
  ) {
    self.limit = limit
    self.presets = presets
    self.includesContent = includesContent
    self.mayShortenBody = mayShortenBody
  }
}

/// Why no payload can be made of a notification and its media.
public enum PayloadFailure: Error, Sendable, Equatable {
  /// The notification is no JSON object with an object `aps`.
  case noNotification
  /// A URL that a phone would not fetch: App Transport Security wants https.
  case notSecure(url: String)
  /// An object has to be at a place where the sender has put something else.
  case occupied(place: String)
  /// `bytes` is the size when everything is left out that may be.
  case tooLarge(bytes: Int, limit: Int)

  /// A sentence for people.
  public var message: String {
    switch self {
    case .noNotification: "the payload is no JSON object with an object “aps” in it"
    case .notSecure(let url): "the URL \(inQuotes(url)) is not https, and iOS would not fetch it"
    case .occupied(let place): "the payload's “\(place)” is no object, so the media cannot be named in it"
    case .tooLarge(let bytes, let limit):
      "the payload takes \(bytes) bytes without all that can be left out; at most \(limit) can be sent: shorten its"
        + " texts by \(bytes - limit) bytes"
    }
  }
}

/// Something that was left out to make a payload fit.
public enum PayloadOmission: Sendable, Equatable {
  case thumbHash(identifier: String)
  case manifest
  case poster(identifier: String)
  /// Size and thumbnail options.
  case details(identifier: String)
  case medium(identifier: String)
  /// The end of the body.
  case text(bytes: Int)

  /// A sentence for people.
  public var message: String {
    switch self {
    case .thumbHash(let identifier): "left out the placeholder of \(inQuotes(identifier)) to fit"
    case .manifest: "left out the manifest's address to fit"
    case .poster(let identifier): "left out the poster of \(inQuotes(identifier)) to fit"
    case .details(let identifier): "left out size and thumbnail options of \(inQuotes(identifier)) to fit"
    case .medium(let identifier): "left out the medium \(inQuotes(identifier)) to fit"
    case .text(let bytes): "cut \(bytes) bytes from the end of the body to fit"
    }
  }
}
