import Glibc

/// Reads a date as HTTP writes it, in any of the three forms of RFC 9110 section 5.6.7.
///
/// - Parameter now: decides the century of a year of two digits: one that seems to be more than 50 years ahead is past.
/// - Returns: seconds since 1970; nil for anything else, or a day that no calendar has.
package func seconds(ofHTTPDate text: String, now: Double) -> Double? {
  let words = text.split(separator: " ").map(String.init)
  switch words.count {
  case 6:  // Sun, 06 Nov 1994 08:49:37 GMT
    guard words[0].hasSuffix(","), weekdays.contains(String(words[0].dropLast())), words[5] == "GMT",
      let day = number(words[1], digits: 2), let year = number(words[3], digits: 4)
    else { return nil }
    return seconds(year: year, month: words[2], day: day, time: words[4])
  case 4:  // Sunday, 06-Nov-94 08:49:37 GMT
    let date = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard words[0].hasSuffix("day,"), weekdays.contains(String(words[0].prefix(3))), words[3] == "GMT",
      date.count == 3, let day = number(date[0], digits: 2), let short = number(date[2], digits: 2)
    else { return nil }
    let today = civilYear(of: now)
    var year = today - today % 100 + short
    if year > today + 50 { year -= 100 }
    return seconds(year: year, month: date[1], day: day, time: words[2])
  case 5:  // Sun Nov  6 08:49:37 1994
    guard weekdays.contains(words[0]), (1...2).contains(words[2].utf8.count),
      let day = number(words[2], digits: words[2].utf8.count), let year = number(words[4], digits: 4)
    else { return nil }
    return seconds(year: year, month: words[1], day: day, time: words[3])
  default: return nil
  }
}

private let weekdays: Set<String> = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
private let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/// Exactly so many digits, and nothing else: `Int` would take signs.
private func number(_ text: String, digits: Int) -> Int? {
  guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
  return Int(text)
}

private func seconds(year: Int, month name: String, day: Int, time: String) -> Double? {
  let parts = time.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0), digits: 2) }
  guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
    // 60 is a leap second.
    hour < 24, minute < 60, second <= 60, let month = months.firstIndex(of: name).map({ $0 + 1 })
  else { return nil }
  let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  guard (1...lengths[month - 1]).contains(day) else { return nil }
  return Double(daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
}

/// Days from 1970-01-01 in the Gregorian calendar. The year is counted from March, so that the leap day is its last.
private func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
  let year = month > 2 ? year : year - 1
  let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
  return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
}

private func civilYear(of seconds: Double) -> Int {
  // Good to a day or so around the new year, which is fine for choosing a century.
  1970 + Int(max(0, min(seconds, 1e11)) / 31_556_952)
}

/// The clock of this machine.
package func secondsSince1970() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
