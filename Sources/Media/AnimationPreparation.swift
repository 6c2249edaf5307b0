import Preparation
import RichPush

/// Makes a GIF of an animation: the next thing to be built. Until then animations are refused, with a reason.
func prepareAnimation(
  _ source: MediaFile, into output: Int32, facts: MediaFacts, _ recipe: AnimationRecipe
) throws(Rejection.Reason) -> PreparedFile {
  throw Rejection.Reason(
    .unsupportedCodec, at: .prepare, "\(facts.format.rawValue) animations cannot be prepared by this version")
}
