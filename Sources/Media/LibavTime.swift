import CFFmpeg

/// A number of ticks in seconds; nil when there is none, or the time base makes no sense.
func seconds(_ ticks: Int64, _ base: AVRational) -> Double? {
  guard ticks != enclosure_av_no_timestamp, base.num > 0, base.den > 0 else { return nil }
  return Double(ticks) * Double(base.num) / Double(base.den)
}

/// A fraction as a number; nil when it makes no sense or is not positive.
func positive(_ fraction: AVRational) -> Double? {
  guard fraction.num > 0, fraction.den > 0 else { return nil }
  return Double(fraction.num) / Double(fraction.den)
}
