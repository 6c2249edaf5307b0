/// Names are matched byte by byte, as iOS does it. Swift's own `==` takes é in one character for é in two.
func isSame(_ first: String, _ second: String) -> Bool {
  first.utf8.elementsEqual(second.utf8)
}

/// What is left of a name when case, blanks and characters without a shape do not count. Two names that are equal in
/// Swift's sense, thus in any Unicode form, look the same.
func folded(_ name: String) -> String {
  // Nearly all names are ASCII, and all keys of payloads go through here.
  if name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return name.lowercased() }
  var scalars = String.UnicodeScalarView()
  scalars.append(
    contentsOf: name.lowercased().unicodeScalars.filter { scalar in
      !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
        && scalar.properties.generalCategory != .control
    })
  return String(scalars)
}

/// In what two names differ that look alike: `in case and blanks`.
func difference(_ first: String, _ second: String) -> String {
  var parts: [String] = []
  if withoutBlanks(first).lowercased() == withoutBlanks(second).lowercased(),
    withoutBlanks(first) != withoutBlanks(second)
  {
    parts.append("case")
  }
  if first.lowercased() != second.lowercased() { parts.append("blanks") }
  if parts.isEmpty { parts.append("Unicode form") }
  return "in " + parts.joined(separator: " and ")
}

private func withoutBlanks(_ name: String) -> String {
  var scalars = String.UnicodeScalarView()
  scalars.append(
    contentsOf: name.unicodeScalars.filter {
      !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint
        && $0.properties.generalCategory != .control
    })
  return String(scalars)
}

/// The name of a list that was probably meant: one that looks the same, else the one with the fewest changes, at most a
/// third of its length.
package func nearest(to name: String, among names: some Sequence<String>) -> String? {
  let plain = folded(name)
  var best: (name: String, distance: Int)?
  for candidate in names where !isSame(candidate, name) {
    let other = folded(candidate)
    let distance = plain == other ? 0 : editDistance(Array(plain), Array(other))
    guard distance <= max(plain.count, other.count) / 3 || distance == 0 else { continue }
    if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
  }
  return best?.name
}

/// Whether one name becomes the other by so many changes at most.
package func isWithin(_ changes: Int, editsOf first: String, _ second: String) -> Bool {
  abs(first.utf8.count - second.utf8.count) <= changes && editDistance(Array(first), Array(second)) <= changes
}

/// How many characters have to be put in, taken out, replaced, or swapped with their neighbour.
private func editDistance(_ first: [Character], _ second: [Character]) -> Int {
  // Names are short; what is not is no misspelling of one that is.
  guard abs(first.count - second.count) <= max(first.count, second.count) / 3, first.count < 200 else { return .max }
  var rows = [Array(0...second.count)]
  for (row, character) in first.enumerated() {
    var next = [row + 1]
    for (column, other) in second.enumerated() {
      var distance = min(rows[row][column + 1] + 1, next[column] + 1, rows[row][column] + (character == other ? 0 : 1))
      if row > 0, column > 0, character == second[column - 1], first[row - 1] == other {
        distance = min(distance, rows[row - 1][column - 1] + 1)
      }
      next.append(distance)
    }
    rows.append(next)
  }
  return rows[first.count][second.count]
}
