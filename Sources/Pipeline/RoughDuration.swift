/// A span of time for people: in the largest unit that fits, without what is left over.
/// - Parameter seconds: not negative.
package func roughDuration(_ seconds: Double) -> String {
  switch seconds {
  case ..<120: "\(Int(seconds)) s"
  case ..<7_200: "\(Int(seconds / 60)) min"
  case ..<172_800: "\(Int(seconds / 3_600)) h"
  default: "\(Int(seconds / 86_400)) days"
  }
}
