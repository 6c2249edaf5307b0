package import Preparation
package import RichPush

// The things a helper does to a whole file; what it does to a part of one is in Glance.swift. Everything here is
// synchronous and may be killed at any instant.

/// Finds out what a file is, from its bytes alone.
package func inspect(_ source: MediaFile, _ request: InspectRequest) throws(Rejection.Reason) -> MediaFacts {
  guard source.bytes > 0 else {
    throw Rejection.Reason(.empty, at: .inspect, "the source is empty")
  }
  switch Signature(of: source) {
  case .picture(let format):
    var facts = try inspectPicture(source, format: format, request)
    if case .image(var image) = facts.content, image.delays.count > request.enoughFrames {
      // It has too many frames anyway, and millions of delays would not fit into an answer.
      image.delays = Array(image.delays.prefix(request.enoughFrames))
      facts.content = .image(image)
    }
    return facts
  case .refused(let reason): throw reason
  case .unknown: return try inspectTimeline(source, request)
  }
}

/// Makes the attachment of a source into `output`, an empty file that is readable and writable.
package func prepare(
  _ source: MediaFile, into output: Int32, _ request: PrepareRequest
) throws(Rejection.Reason) -> PreparedFile {
  switch request.recipe {
  case .still(let recipe): try prepareStill(source, into: output, facts: request.facts, recipe)
  case .animation(let recipe): try prepareAnimation(source, into: output, facts: request.facts, recipe)
  case .remux(let recipe): try copy(source, into: output, facts: request.facts, recipe)
  case .encode(let recipe): try transcode(source, into: output, facts: request.facts, recipe)
  case .poster(let recipe): try preparePoster(of: source, into: output, facts: request.facts, recipe)
  }
}

/// Copies the streams, or does what the recipe says otherwise where they cannot be copied.
private func copy(
  _ source: MediaFile, into output: Int32, facts: MediaFacts, _ recipe: RemuxRecipe
) throws(Rejection.Reason) -> PreparedFile {
  do throws(Rejection.Reason) {
    return try remux(source, into: output, facts: facts, recipe)
  } catch {
    guard let otherwise = recipe.otherwise, error.code.mayBeEncodedInstead else { throw error }
    try empty(output)
    return try transcode(source, into: output, facts: facts, otherwise)
  }
}

/// Opens and decodes a prepared file again, to its end, and holds it against what was meant to be made.
package func verify(_ file: MediaFile, _ request: VerifyRequest) throws(Rejection.Reason) {
  switch request.expected.type.kind {
  case .image: try verifyImage(file, request.expected)
  case .video, .audio: try verifyTimeline(file, request.expected)
  }
}
