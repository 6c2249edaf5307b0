import Preparation
import RichPush

/// What the first bytes of a file say it is. Names, extensions and declared types play no part.
enum Signature: Equatable {
  /// A picture or animation in one of the formats that are read as such.
  case picture(MediaFormat)
  /// Something that is recognised and never opened.
  case refused(Rejection.Reason)
  /// Anything else: libavformat decides.
  case unknown
}

extension Signature {
  init(of source: MediaFile) {
    self = .unknown
  }
}
