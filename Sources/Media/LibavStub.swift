import Preparation
import RichPush

final class LibavPictureReader {
  init(_ source: MediaFile, at stage: Rejection.Stage) throws(Rejection.Reason) {
    throw Rejection.Reason(.unsupportedType, at: stage, "unfinished")
  }
  func next() throws(Rejection.Reason) -> (width: Int, height: Int, delay: Int, pixels: UnsafeRawBufferPointer)? { nil }
}
func inspectLibavPicture(
  _ source: MediaFile, format: MediaFormat, _ request: InspectRequest
) throws(Rejection.Reason) -> MediaFacts { throw Rejection.Reason(.unsupportedType, at: .inspect, "unfinished") }
