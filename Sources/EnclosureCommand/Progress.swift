/// How far a batch is, as one line.
struct Progress {
  let total: Int
  var done = 0
  var rejected = 0
  /// Seconds since the start.
  var elapsed = 0.0

  /// `████████████──────────── 120/200 · 21.4/s · 4 s left · 3 rejected`, cut to the terminal's width.
  func bar(columns: Int, isUnicode: Bool = true) -> String {
    let (full, empty, separator) = isUnicode ? ("█", "─", " · ") : ("#", "-", ", ")
    var figures = ["\(done)/\(total)", "\(rate)/s", "\(left) left"]
    if rejected > 0 { figures.append("\(rejected) rejected") }
    let text = figures.joined(separator: separator)
    let room = max(0, min(40, columns - 2 - text.count))
    let filled = total == 0 ? room : room * min(done, total) / total
    let bar = String(repeating: full, count: filled) + String(repeating: empty, count: room - filled)
    return String((room > 0 ? "\(bar) \(text)" : text).prefix(max(0, columns - 1)))
  }

  /// The same for a log: no drawing.
  var line: String {
    "\(done) of \(total) done, \(rejected) rejected, \(rate) per second, \(left) left"
  }

  private var perSecond: Double { elapsed > 0 ? Double(done) / elapsed : 0 }

  private var rate: String {
    let tenths = Int((perSecond * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  private var left: String {
    guard perSecond > 0 else { return "? s" }
    return Self.duration(seconds: Int((Double(total - done) / perSecond).rounded(.up)))
  }

  /// `42 s`, `3 min 05 s`, `2 h 10 min`.
  static func duration(seconds: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3600: "\(seconds / 60) min \(two(seconds % 60)) s"
    default: "\(seconds / 3600) h \(two(seconds / 60 % 60)) min"
    }
  }
}
