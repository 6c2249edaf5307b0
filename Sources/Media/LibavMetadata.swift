import CFFmpeg
import Preparation

extension LibavInput {
  /// What the file carries besides the kept streams.
  func metadata(beside kept: [Int]) -> [MediaFacts.Metadata] { [] }
}
