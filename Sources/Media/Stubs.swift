import Preparation
import RichPush

// Images: to be replaced.
func prepareAnimation(
  _ source: MediaFile, into output: Int32, facts: MediaFacts, _ recipe: AnimationRecipe
) throws(Rejection.Reason) -> PreparedFile { throw unfinished }

// Timelines: to be replaced.
func inspectTimeline(
  _ source: MediaFile, _ request: InspectRequest
) throws(Rejection.Reason) -> MediaFacts { throw unfinished }
func remux(
  _ source: MediaFile, into output: Int32, facts: MediaFacts, _ recipe: RemuxRecipe
) throws(Rejection.Reason) -> PreparedFile { throw unfinished }
func verifyTimeline(_ file: MediaFile, _ expected: PreparedFile) throws(Rejection.Reason) { throw unfinished }

private let unfinished = Rejection.Reason(.unsupportedType, at: .inspect, "unfinished")
