package import RichPush

/// One job on the page.
package struct ReportEntry: Sendable {
  /// What people know the job by, and search for.
  package var name: String
  package var manifest: Manifest
  /// The notification's category, when a registry has it.
  package var category: NotificationCategory?
  /// How the page gets at the stored files, by their location in the manifest. What is not there is only described.
  package var media: [String: ReportMedia]
  /// The same for the sources, by the attachment's identifier. Only what browsers show belongs here.
  package var sources: [String: ReportMedia]
  package var milliseconds: Int?

  package init(
    name: String, manifest: Manifest, category: NotificationCategory? = nil, media: [String: ReportMedia] = [:],
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

/// Where the page has a picture, clip or sound from.
package enum ReportMedia: Sendable, Equatable {
  /// Inside the page.
  case embedded(contentType: String, bytes: [UInt8])
  /// In a file beside it: a path relative to the page, its parts separated by `/`, nothing escaped.
  case file(path: String)

  /// The value of a `src`, not yet escaped for HTML.
  var address: String {
    switch self {
    case .embedded(let contentType, let bytes): "data:\(contentType);base64,\(Base64.encoded(bytes))"
    // The leading `./` keeps a name with a colon from being a scheme.
    case .file(let path): "./" + percentEncoded(path)
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
