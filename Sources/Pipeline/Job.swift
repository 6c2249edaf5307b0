package import Preparation
package import RichPush

/// What to prepare: one to four sources of one notification.
package struct Job: Sendable {
  package var id: String
  package var sources: [JobSource]
  package var payload: JSONValue?
  package var options: PreparationOptions
  /// Whether the attachments have no thumbnail in the notification before it is expanded.
  package var thumbnailHidden: Bool
  /// The part of each picture that its thumbnail shows; nil for the whole.
  package var thumbnailClippingRect: ClippingRect?

  package init(
    id: String, sources: [JobSource], payload: JSONValue? = nil, options: PreparationOptions = PreparationOptions(),
    thumbnailHidden: Bool = false, thumbnailClippingRect: ClippingRect? = nil
  ) {
    self.id = id
    self.sources = sources
    self.payload = payload
    self.options = options
    self.thumbnailHidden = thumbnailHidden
    self.thumbnailClippingRect = thumbnailClippingRect
  }
}

/// One medium as a job names it. Never trusted.
package struct JobSource: Sendable {
  package enum Location: Sendable, Hashable {
    /// http or https.
    case url(String)
    case file(FilePath)
  }

  package var location: Location
  /// The attachment's identifier; by default `media-` and the source's number.
  package var identifier: String?

  package init(_ location: Location, identifier: String? = nil) {
    self.location = location
    self.identifier = identifier
  }
}
