/// A generator whose numbers are the same every time (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: Int) {
    state = UInt64(seed)
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}

/// Pieces of text that are hard on whoever counts, cuts or escapes.
private let pieces = [
  "a", "Hello ", "é", "e\u{301}", "ß", "\n", "\r\n", "\t", "\"", "\\", "/", "\u{0}", "\u{1F}", "\u{7F}", "\u{2028}",
  "مرحبا", "שלום", "\u{202E}abc\u{202C}", "\u{2067}x\u{2069}", "日本語", "한국어", "👍🏽", "👨‍👩‍👧‍👦", "🇩🇪🇫🇷", "🏴󠁧󠁢󠁳󠁣󠁴󠁿",
  "a\u{300}\u{301}\u{302}\u{303}\u{304}", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{FEFF}", "\u{FFFF}", "\u{10FFFF}", "𝔘",
  "%u", "…",
]

func randomText(upTo count: Int, using random: inout SeededGenerator) -> String {
  (0..<Int.random(in: 0...count, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
}
