import CScriptedNetwork
import Glibc
import Testing

/// What names resolve to in this program, and what was dialled.
enum ScriptedNetwork {
  /// - Parameter answers: the addresses for the first lookup, for the second, and so on; the last ones stay.
  static func name(_ name: String, resolvesTo answers: [String]...) {
    #expect(enclosure_script_name(name, answers.map { $0.joined(separator: ",") }.joined(separator: ";")) != 0)
  }

  static func lookups(of name: String) -> Int { Int(enclosure_lookups(name)) }

  /// The addresses that were dialled at a port, in their order. Dials to others than loopback fail.
  static func dialled(port: Int) -> [String] {
    var text = [CChar](repeating: 0, count: 16_384)
    enclosure_dialled(Int32(port), &text, UInt(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      .split(separator: " ").map(String.init)
  }
}
