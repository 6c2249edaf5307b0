package import RichPush

/// One job on the page.
package struct ReportEntry: Sendable {
  /// What people know the job by, and search for.
  package var name: String
  package var manifest: Manifest
  package var category: Category
  /// How large the notification's payload may be.
  package var payloadLimit = PayloadLimit.notification
  /// The stored files, by their location in the manifest. What is not there is only described.
  package var media: [String: ReportMedia]
  /// The same for the sources, by the attachment's identifier. Only what browsers show belongs here.
  package var sources: [String: ReportMedia]
  /// Locations of files that are not in ``media`` to keep the page small.
  package var leftOut: Set<String> = []
  /// The same for ``sources``, by the attachment's identifier.
  package var sourcesLeftOut: Set<String> = []
  package var milliseconds: Int?
  /// What is wrong with the entry itself, as a sentence.
  package var note: String?

  /// The notification's category.
  package enum Category: Sendable {
    /// There was no registry to look it up in.
    case unchecked
    /// The registry does not have it.
    case unknown
    case known(NotificationCategory)
  }

  package init(
    name: String, manifest: Manifest, category: Category = .unchecked, media: [String: ReportMedia] = [:],
    sources: [String: ReportMedia] = [:], milliseconds: Int? = nil
  ) {
    self.name = name
    self.manifest = manifest
    self.category = category
    self.media = media
    self.sources = sources
    self.milliseconds = milliseconds
  }
}

extension ReportEntry {
  /// Why the page does not have a file, as the end of a sentence.
  func absence(of asset: Asset) -> String { Self.absence(isLeftOut: leftOut.contains(asset.location)) }

  /// The same for the source of an attachment.
  func absence(ofSourceOf attachment: Attachment) -> String {
    Self.absence(isLeftOut: sourcesLeftOut.contains(attachment.identifier))
  }

  private static func absence(isLeftOut: Bool) -> String {
    isLeftOut ? "left out to keep this page small" : "not at hand"
  }
}

/// A picture, clip or sound inside the page.
package struct ReportMedia: Sendable, Equatable {
  package var contentType: String
  package var bytes: [UInt8]

  package init(contentType: String, bytes: [UInt8]) {
    self.contentType = contentType
    self.bytes = bytes
  }

  /// The value of a `src`, as HTML has it: base64 has no character that would be escaped, and may be megabytes.
  var address: String { "data:\(escaped(contentType));base64,\(Base64.encoded(bytes))" }
}

extension SourceDescription {
  /// What a browser takes the source for; nil for formats that not every browser shows.
  package var browserContentType: String? {
    switch format {
    case "jpeg": "image/jpeg"
    case "png", "apng": "image/png"
    case "gif": "image/gif"
    case "webp": "image/webp"
    case "avif": "image/avif"
    case "bmp": "image/bmp"
    default: nil
    }
  }
}

/// How many jobs have which verdict.
package struct ReportTally: Sendable, Equatable {
  package var ready = 0
  package var partial = 0
  package var rejected = 0

  package init(ready: Int = 0, partial: Int = 0, rejected: Int = 0) {
    self.ready = ready
    self.partial = partial
    self.rejected = rejected
  }

  package mutating func count(_ status: Manifest.Status) {
    switch status {
    case .ready: ready += 1
    case .partial: partial += 1
    case .rejected: rejected += 1
    }
  }

  package var all: Int { ready + partial + rejected }
}
