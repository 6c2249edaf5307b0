/// Those who wait, served in the order in which they came.
struct Line<Element> {
  /// Those who still wait are the ones from `first` on.
  private var places: [Element?] = []
  private var first = 0

  var isEmpty: Bool { first == places.count }

  mutating func append(_ element: Element) {
    places.append(element)
  }

  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = places[first]
    places[first] = nil
    first += 1
    if first > 1_000 && first * 2 > places.count {
      places.removeFirst(first)
      first = 0
    }
    return element
  }

  /// Sends everybody away.
  mutating func removeAll() -> [Element] {
    defer { (places, first) = ([], 0) }
    return places[first...].compactMap(\.self)
  }
}
