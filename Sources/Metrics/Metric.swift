/// What a family consists of: one value, or one distribution, for each combination of labels.
package protocol Metric: Sendable {
  /// The word of the text format's TYPE line.
  static var kind: String { get }

  /// Adds the lines of this metric.
  /// - Parameter labels: already in the form of the text format, without braces; may be empty.
  func write(_ name: String, labels: String, to text: inout MetricsText)
}
