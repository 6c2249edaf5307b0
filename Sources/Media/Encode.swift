import Preparation
import RichPush

/// Makes a video or sound of which at least one stream is encoded anew.
/// - Parameter output: an empty file, readable and writable.
func encode(
  _ source: MediaFile, into output: Int32, facts: MediaFacts, _ recipe: EncodeRecipe
) throws(Rejection.Reason) -> PreparedFile {
  throw Rejection.Reason(.unsupportedCodec, at: .prepare, "there is no encoder yet")
}
