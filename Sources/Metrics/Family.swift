import Synchronization

/// Metrics of one name that differ by the values of their labels.
package final class Family<Member: Metric>: MetricSource {
  package let name: String
  package let help: String
  private let labels: [String]
  private let members: Mutex<[[String]: Member]>
  private let make: @Sendable () -> Member

  /// More combinations than these share one, whose labels all say `other`. Labels are meant to have few values; a
  /// monitoring system keeps a series for each combination, for weeks.
  static var maximumMembers: Int { 500 }

  init(_ name: String, help: String, labels: [String], make: @escaping @Sendable () -> Member) {
    self.name = name
    self.help = help
    self.labels = labels
    self.make = make
    // Without labels there is one, and it is 0 from the beginning.
    members = Mutex(labels.isEmpty ? [[]: make()] : [:])
  }

  /// The metric for some labels; there from now on.
  /// - Parameter values: one for each label, in their order.
  package subscript(_ values: String...) -> Member { member(values) }

  func member(_ values: [String]) -> Member {
    // A call with a label too many or too few is a mistake that must not take the service down.
    let fitting = Array((values + labels.map { _ in "" }).prefix(labels.count))
    return members.withLock { members in
      if let member = members[fitting] { return member }
      let isFull = members.count >= Self.maximumMembers
      let key = isFull ? labels.map { _ in "other" } : fitting
      if let member = members[key] { return member }
      let member = make()
      members[key] = member
      return member
    }
  }

  package func write(to text: inout MetricsText) {
    let members = members.withLock { $0 }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    guard !members.isEmpty else { return }
    text.begin(name, kind: Member.kind, help: help)
    for (values, member) in members {
      member.write(name, labels: MetricsText.labels(labels, values), to: &text)
    }
  }
}

/// Something that has lines among the metrics.
package protocol MetricSource: Sendable {
  var name: String { get }
  func write(to text: inout MetricsText)
}

/// A metric whose value is found out when it is asked for.
struct ComputedMetric: MetricSource {
  let name: String
  let kind: String
  let help: String
  /// nil where there is none at the moment.
  let value: @Sendable () -> Double?

  func write(to text: inout MetricsText) {
    guard let value = value() else { return }
    text.begin(name, kind: kind, help: help)
    text.add(name, "", value)
  }
}
