import Preparation
import RichPush

// Images: to be replaced.
func prepareAnimation(
  _ source: MediaFile, into output: Int32, facts: MediaFacts, _ recipe: AnimationRecipe
) throws(Rejection.Reason) -> PreparedFile { throw unfinished }

private let unfinished = Rejection.Reason(.unsupportedType, at: .inspect, "unfinished")
