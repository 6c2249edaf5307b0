/// Who may go next, when only so many may run at once, overall and per host.
///
/// Hosts take turns, so that a thousand files from one host do not hold up a single one from another. libcurl's own
/// limits (CURLMOPT_MAX_TOTAL_CONNECTIONS and the like) are not used: there the timeouts run while a transfer waits.
struct Admission<Element> {
  private let overall: Int
  private let perHost: Int
  private var active = 0
  private var hosts: [String: Host] = [:]
  /// The hosts that have somebody waiting and room for it, each once.
  private var turns = Fifo<String>()

  private struct Host {
    var active = 0
    var waiting = Fifo<Element>()
  }

  /// Limits below 1 count as 1.
  init(overall: Int, perHost: Int) {
    self.overall = max(overall, 1)
    self.perHost = max(perHost, 1)
  }

  mutating func add(_ element: Element, host name: String) {
    let wasEmpty = hosts[name, default: Host()].waiting.isEmpty
    hosts[name, default: Host()].waiting.append(element)
    if wasEmpty, hosts[name, default: Host()].active < perHost { turns.append(name) }
  }

  /// The next one that may run now; it counts as running until `finished`.
  mutating func next() -> Element? {
    guard active < overall, let name = turns.removeFirst(), let element = hosts[name]?.waiting.removeFirst() else {
      return nil
    }
    active += 1
    hosts[name]?.active += 1
    if let host = hosts[name], !host.waiting.isEmpty, host.active < perHost { turns.append(name) }
    return element
  }

  /// One that `next` gave has ended.
  mutating func finished(host name: String) {
    guard var host = hosts[name], host.active > 0 else { return }
    if host.active == perHost, !host.waiting.isEmpty { turns.append(name) }
    host.active -= 1
    active -= 1
    hosts[name] = host.active == 0 && host.waiting.isEmpty ? nil : host
  }
}

/// First in, first out, without moving every element for each one that leaves.
struct Fifo<Element> {
  private var elements: [Element?] = []
  private var head = 0

  var isEmpty: Bool { head == elements.count }

  mutating func append(_ element: Element) {
    elements.append(element)
  }

  mutating func removeFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head]
    elements[head] = nil
    head += 1
    if head > 32, head * 2 > elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}
