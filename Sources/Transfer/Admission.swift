import Blocking

/// Who may go next, when only so many may run at once, overall and per host.
///
/// Hosts take turns, so that a thousand files from one host do not hold up a single one from another. What runs for
/// long leaves its host's place to others (`setAside`), so that slow files do not hold up the quick ones beside them;
/// it still counts overall, and of each host only so many are set aside at a time.
///
/// libcurl's own limits (CURLMOPT_MAX_TOTAL_CONNECTIONS and the like) are not used: there the timeouts run while a
/// transfer waits.
struct Admission<Element> {
  private let overall: Int
  private let perHost: Int
  private let asidePerHost: Int
  private var active = 0
  private var waiting = 0
  private var hosts: [String: Host] = [:]
  /// The hosts that have somebody waiting and room for it, each once.
  private var turns = Queue<String>()

  private struct Host {
    /// Those that run, without those set aside.
    var active = 0
    var aside = 0
    var waiting = Queue<Element>()
    /// How many may run besides those set aside.
    var limit: Int
    var isInTurn = false

    var isEligible: Bool { !waiting.isEmpty && active < limit }
  }

  /// Limits below 1 count as 1.
  ///
  /// - Parameter asidePerHost: how many of a host may be set aside at the same time.
  init(overall: Int, perHost: Int, asidePerHost: Int = 0) {
    self.overall = max(overall, 1)
    self.perHost = max(perHost, 1)
    self.asidePerHost = asidePerHost
  }

  /// Whether nobody waits.
  var isEmpty: Bool { waiting == 0 }

  /// - Parameter limit: how many of this host may run; nil for the usual number.
  mutating func add(_ element: Element, host name: String, limit: Int? = nil) {
    // Taken out, not copied: with a second owner, the whole queue would be copied for each that joins or leaves it.
    var host = hosts.removeValue(forKey: name) ?? Host(limit: perHost)
    host.limit = max(limit ?? perHost, 1)
    host.waiting.append(element)
    waiting += 1
    update(name, host)
  }

  /// The next one that may run now; it counts as running until `finished`.
  mutating func next() -> Element? {
    while active < overall, let name = turns.popFirst() {
      guard var host = hosts.removeValue(forKey: name) else { continue }
      host.isInTurn = false
      guard host.active < host.limit, let element = host.waiting.popFirst() else {
        update(name, host)
        continue
      }
      waiting -= 1
      active += 1
      host.active += 1
      update(name, host)
      return element
    }
    return nil
  }

  /// Whether somebody waits for a place at this host.
  func isWanted(host name: String) -> Bool {
    hosts[name].map { !$0.waiting.isEmpty } ?? false
  }

  /// One that `next` gave no longer counts against its host's limit.
  ///
  /// - Returns: false when too many are set aside already.
  mutating func setAside(host name: String) -> Bool {
    guard var host = hosts[name], host.active > 0, host.aside < asidePerHost else { return false }
    host.active -= 1
    host.aside += 1
    update(name, host)
    return true
  }

  /// The limit of a host, once more is known about it.
  mutating func setLimit(_ limit: Int, host name: String) {
    guard var host = hosts[name] else { return }
    host.limit = max(limit, 1)
    update(name, host)
  }

  /// One that `next` gave has ended.
  mutating func finished(host name: String, wasAside: Bool = false) {
    guard var host = hosts[name], (wasAside ? host.aside : host.active) > 0 else { return }
    if wasAside { host.aside -= 1 } else { host.active -= 1 }
    active -= 1
    update(name, host)
  }

  private mutating func update(_ name: String, _ host: Host) {
    var host = host
    if host.isEligible, !host.isInTurn {
      host.isInTurn = true
      turns.append(name)
    }
    let isIdle = host.active == 0 && host.aside == 0 && host.waiting.isEmpty && !host.isInTurn
    hosts[name] = isIdle ? nil : host
  }
}
