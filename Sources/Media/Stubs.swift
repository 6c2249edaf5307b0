import Preparation
import RichPush

// Images: to be replaced.
func inspectPicture(
  _ source: MediaFile, format: MediaFormat, _ request: InspectRequest
) throws(Rejection.Reason) -> MediaFacts { throw unfinished }
func prepareStill(
  _ source: MediaFile, into output: Int32, facts: MediaFacts, _ recipe: StillRecipe
) throws(Rejection.Reason) -> PreparedFile { throw unfinished }
func prepareAnimation(
  _ source: MediaFile, into output: Int32, facts: MediaFacts, _ recipe: AnimationRecipe
) throws(Rejection.Reason) -> PreparedFile { throw unfinished }
func verifyImage(_ file: MediaFile, _ expected: PreparedFile) throws(Rejection.Reason) { throw unfinished }

private let unfinished = Rejection.Reason(.unsupportedType, at: .inspect, "unfinished")
