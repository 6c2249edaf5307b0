package import RichPush

/// What the control plane asks a helper to do. The files travel beside it as open descriptors, so a helper needs no
/// access to any path.
package enum HelperRequest: Codable, Sendable, Equatable {
  /// Find out what a partly present source shows already. Descriptors: the source, readable.
  case glance(GlanceRequest)
  /// Find out what the source is. Descriptors: the source, readable.
  case inspect(InspectRequest)
  /// Make the attachment. Descriptors: the source, readable; an empty file, readable and writable.
  case prepare(PrepareRequest)
  /// Open and decode a prepared file again. Descriptors: that file, readable.
  case verify(VerifyRequest)
  /// Tell what the libraries can do. Descriptors: none.
  case describe
}

package struct InspectRequest: Codable, Sendable, Equatable {
  /// A video whose header promises more seconds than this is not read any further.
  package var enoughSeconds: Double
  /// An animation with more frames than this is not counted any further.
  package var enoughFrames: Int

  package init(enoughSeconds: Double, enoughFrames: Int) {
    self.enoughSeconds = enoughSeconds
    self.enoughFrames = enoughFrames
  }
}

package struct PrepareRequest: Codable, Sendable, Equatable {
  package var facts: MediaFacts
  package var recipe: Recipe

  package init(facts: MediaFacts, recipe: Recipe) {
    self.facts = facts
    self.recipe = recipe
  }
}

package struct VerifyRequest: Codable, Sendable, Equatable {
  package var expected: PreparedFile

  package init(expected: PreparedFile) {
    self.expected = expected
  }
}

/// A helper's answer to one request.
package struct HelperReply: Codable, Sendable {
  package enum Outcome: Codable, Sendable, Equatable {
    case glance(Glance)
    case facts(MediaFacts)
    case prepared(PreparedFile)
    case verified
    case capabilities(MediaCapabilities)
    case rejected(Rejection.Reason)
  }

  package var outcome: Outcome

  package init(_ outcome: Outcome) {
    self.outcome = outcome
  }
}
