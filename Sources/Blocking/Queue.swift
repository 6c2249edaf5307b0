/// First in, first out. Removing from the front of an array moves all the rest, so that is done in large steps.
package struct Queue<Element> {
  private var items: [Element?] = []
  private var first = 0

  package init() {}

  package var count: Int { items.count - first }
  package var isEmpty: Bool { count == 0 }

  package mutating func append(_ item: Element) {
    items.append(item)
  }

  package mutating func popFirst() -> Element? {
    guard first < items.count else { return nil }
    let item = items[first]
    items[first] = nil
    first += 1
    if first >= 64, first * 2 >= items.count {
      items.removeFirst(first)
      first = 0
    }
    return item
  }
}
