/// A moment as documents write it: RFC 3339, with the time zone that its author chose.
public struct Timestamp: Sendable, Hashable {
  /// As it was written.
  public let text: String
  /// Seconds since 1970-01-01T00:00:00Z, leap seconds left out.
  public let secondsSince1970: Double

  /// Reads `2026-11-30T03:00:00Z`, `2026-11-30T03:00:00.25+01:00` and the like (RFC 3339 section 5.6).
  /// - Returns: nil when it is anything else, or a day or time that does not exist.
  public init?(_ text: String) {
    var reader = TimestampReader(rest: Array(text.utf8)[...])
    guard let seconds = reader.seconds() else { return nil }
    self.text = text
    secondsSince1970 = seconds
  }
}

extension Timestamp: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let timestamp = Timestamp(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no time as RFC 3339 writes it")
    }
    self = timestamp
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

private struct TimestampReader {
  var rest: ArraySlice<UInt8>

  mutating func seconds() -> Double? {
    guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2),
      take("T") || take("t") || take(" "),
      let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2),
      let fraction = fraction(), let offset = offset(), rest.isEmpty,
      1...12 ~= month, 1...daysIn(month, of: year) ~= day, hour < 24, minute < 60, second <= 60
    else { return nil }
    let time = hour * 3600 + minute * 60 + min(second, 59)
    return Double(days(year, month, day) * 86_400 + time - offset) + (second == 60 ? 0 : fraction)
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let first = rest.first, UInt32(first) == character.value else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// A number of exactly so many digits.
  private mutating func number(_ digits: Int) -> Int? {
    let part = rest.prefix(digits)
    guard part.count == digits, part.allSatisfy(isDigit) else { return nil }
    rest = rest.dropFirst(digits)
    return part.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private mutating func fraction() -> Double? {
    guard take(".") else { return 0 }
    let digits = rest.prefix(while: isDigit)
    rest = rest.dropFirst(digits.count)
    return digits.isEmpty ? nil : Double("0." + String(decoding: digits, as: UTF8.self))
  }

  /// Seconds east of Greenwich.
  private mutating func offset() -> Int? {
    if take("Z") || take("z") { return 0 }
    let isWest = take("-")
    guard isWest || take("+"), let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60
    else { return nil }
    return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
  }

  private func isDigit(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte
  }

  private func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  private func daysIn(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01 in the Gregorian calendar.
  private func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // Counted in years that begin in March, so that the leap day is a year's last.
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    // Years before 0000-03-01 do not occur: `year` has four digits, and -1 is only January and February of 0000.
    let cycle = shifted >= 0 ? shifted / 400 : -1
    let yearOfCycle = shifted - cycle * 400
    return cycle * 146_097 + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear - 719_468
  }
}
