/// The cosine of an angle in half turns: 1 is π. Good to 1e-15.
///
/// Swift itself has none, and this module asks for no C library; with one of its own, a hash is the same everywhere.
func cosine(ofHalfTurns turns: Double) -> Double {
  // cos is even and repeats after two half turns.
  var rest = abs(turns)
  rest -= 2 * Double(Int(rest / 2))
  if rest > 1 { rest = 2 - rest }
  // Now 0...1; the second half is the first one mirrored.
  if rest > 0.5 { return -cosineOfQuarter(1 - rest) }
  return cosineOfQuarter(rest)
}

/// - Parameter halfTurns: from 0 to 0.5.
private func cosineOfQuarter(_ halfTurns: Double) -> Double {
  let square = (halfTurns * Double.pi) * (halfTurns * Double.pi)
  // The Taylor series: at π/2 the eleventh term is below 1e-15.
  var (term, sum) = (1.0, 1.0)
  for index in 1...12 {
    term *= -square / Double((2 * index - 1) * (2 * index))
    sum += term
  }
  return sum
}
