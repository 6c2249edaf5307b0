import CGLib
import Glibc
import Synchronization

extension Syntax {
  /// Reads a command's arguments with GLib's option parser. What they leave open is taken from the environment.
  /// - Parameters:
  ///   - arguments: the words behind the command's name.
  ///   - environment: the value of a variable; nil when it is not set.
  func parse(
    _ arguments: [[UInt8]], environment: (_ variable: String) -> [UInt8]? = environmentVariable
  ) throws(UsageError) -> Arguments {
    try requireNoValues(ofFlagsIn: arguments)
    let parser = OptionParser(self)
    var parsed = try parser.parse(arguments)
    try requireValues(of: parsed)
    for option in options where parsed.values[option.name] == nil {
      guard let value = environment(option.variable), !value.isEmpty else { continue }
      if case .none = option.value, try !isOn(option.variable, value) { continue }
      parsed.fromVariables.insert(option.name)
      parsed.values[option.name] = [value]
      if case .many = option.value { parsed.values[option.name] = value.listed }
    }
    return parsed
  }

  /// An empty value is as a rule a variable of a script that was never set, and means nothing for any option or
  /// operand.
  private func requireValues(of arguments: Arguments) throws(UsageError) {
    for option in options {
      switch option.value {
      case .none: continue
      case .one(let placeholder), .many(let placeholder):
        guard arguments.values[option.name]?.contains([]) == true else { continue }
        throw UsageError("--\(option.name) is empty; it takes \(placeholder)")
      }
    }
    guard operands.isEmpty || !arguments.operands.contains([]) else {
      throw UsageError("one of the operands is empty; they are: \(operands)")
    }
  }

  /// What a variable says that switches something on or off.
  private func isOn(_ variable: String, _ value: [UInt8]) throws(UsageError) -> Bool {
    let text = String(decoding: value, as: UTF8.self)
    switch text.lowercased() {
    case "1", "true", "yes": return true
    case "0", "false", "no": return false
    default: throw UsageError("\(variable) takes 1, true or yes, or else 0, false or no, not “\(text)”")
    }
  }

  /// GLib takes `--strict=no` for `--strict`.
  private func requireNoValues(ofFlagsIn arguments: [[UInt8]]) throws(UsageError) {
    for option in options {
      guard case .none = option.value else { continue }
      if arguments.prefix(while: { $0 != Array("--".utf8) }).contains(where: {
        $0.starts(with: "--\(option.name)=".utf8)
      }) {
        throw UsageError("--\(option.name) takes no value")
      }
    }
  }

  /// The text of `--help`.
  var help: String {
    OptionParser(self).help
  }
}

extension [UInt8] {
  /// The entries of a list with commas, without the spaces around them.
  fileprivate var listed: [[UInt8]] {
    split(separator: UInt8(ascii: ",")).compactMap { entry in
      let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") }
      let trimmed = entry.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
      return trimmed.isEmpty ? nil : Array(trimmed)
    }
  }
}

/// The bytes of a variable, which need not be UTF-8 where it names a file.
func environmentVariable(_ name: String) -> [UInt8]? {
  getenv(name).map { value in
    UnsafeBufferPointer(start: value, count: strlen(value)).map { UInt8(bitPattern: $0) }
  }
}

/// Owns a GOptionContext and the memory that its entries point into.
private final class OptionParser {
  private let syntax: Syntax
  private let context: OpaquePointer
  private var strings: [UnsafeMutablePointer<CChar>] = []
  private let flags: UnsafeMutablePointer<gboolean>
  /// For each option its values: a null-terminated array that GLib allocates.
  private let lists: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>

  init(_ syntax: Syntax) {
    self.syntax = syntax
    // One more than there are options: for the operands.
    let count = syntax.options.count + 1
    flags = .allocate(capacity: count)
    flags.initialize(repeating: 0, count: count)
    lists = .allocate(capacity: count)
    lists.initialize(repeating: nil, count: count)
    context = g_option_context_new(syntax.operands)
    g_option_context_set_help_enabled(context, 0)
    g_option_context_set_summary(context, syntax.summary)
    g_option_context_set_description(context, syntax.details + variables)

    var entries = syntax.options.enumerated().map { index, option in entry(option, at: index) }
    let operands = entry(Syntax.Option("", .many(""), ""), at: syntax.options.count)
    entries += [operands, GOptionEntry()]
    g_option_context_add_main_entries(context, entries, nil)
  }

  deinit {
    g_option_context_free(context)
    for string in strings { free(string) }
    for index in 0...syntax.options.count { g_strfreev(lists[index]) }
    flags.deallocate()
    lists.deallocate()
  }

  /// How to give options by variables, for the end of the help.
  private var variables: String {
    let example = syntax.options.first { $0.name.contains("-") } ?? syntax.options.first
    guard let example else { return "" }
    return "\n\nVariables set options as well, \(example.variable) for --\(example.name); an option beats its variable."
  }

  var help: String {
    let text = programName.withLock { _ in
      g_set_prgname("enclosure \(syntax.command)")
      let text = g_option_context_get_help(context, 1, nil)
      defer { g_free(text) }
      return text.map { String(cString: $0) } ?? ""
    }
    // GLib's usage line has room for what is not there: options of a command without any, names of operands.
    let usage = ["  enclosure \(syntax.command)", syntax.options.isEmpty ? "" : "[OPTION…]", syntax.operands]
      .filter { !$0.isEmpty }.joined(separator: " ")
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("  enclosure \(syntax.command) [") ? usage : String(line)
    }.joined(separator: "\n")
  }

  func parse(_ arguments: [[UInt8]]) throws(UsageError) -> Arguments {
    // The parser takes words out of the array and frees them, so both are GLib's to begin with.
    let words = [Array("enclosure".utf8)] + arguments
    var vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
      g_malloc0(gsize((words.count + 1) * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride))
      .assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
    for (index, word) in words.enumerated() {
      vector?[index] = (word.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { g_strdup($0.baseAddress) }
    }
    defer { g_strfreev(vector) }
    var failure: UnsafeMutablePointer<GError>?
    guard g_option_context_parse_strv(context, &vector, &failure) != 0 else {
      defer { g_error_free(failure) }
      let message = failure.map { String(cString: $0.pointee.message) } ?? "the options cannot be read"
      // GLib begins with a capital; all other messages do not.
      throw UsageError(message.prefix(1).lowercased() + message.dropFirst())
    }
    var parsed = Arguments()
    for (index, option) in syntax.options.enumerated() {
      if case .none = option.value {
        if flags[index] != 0 { parsed.values[option.name] = [[]] }
      } else if let list = lists[index] {
        parsed.values[option.name] = values(of: list)
      }
    }
    parsed.operands = lists[syntax.options.count].map(values(of:)) ?? []
    return parsed
  }

  private func entry(_ option: Syntax.Option, at index: Int) -> GOptionEntry {
    var entry = GOptionEntry()
    entry.long_name = UnsafePointer(kept(option.name))
    entry.short_name = gchar(option.short?.asciiValue ?? 0)
    entry.description = UnsafePointer(kept(option.help))
    switch option.value {
    case .none:
      entry.arg = G_OPTION_ARG_NONE
      entry.arg_data = UnsafeMutableRawPointer(flags + index)
    case .one(let placeholder), .many(let placeholder):
      // An array for both: of an option that is given twice, the last one counts.
      entry.arg = G_OPTION_ARG_FILENAME_ARRAY
      entry.arg_data = UnsafeMutableRawPointer(lists + index)
      entry.arg_description = UnsafePointer(kept(placeholder))
    }
    return entry
  }

  private func kept(_ text: String) -> UnsafeMutablePointer<CChar>? {
    let copy = strdup(text)
    if let copy { strings.append(copy) }
    return copy
  }

  private func values(of list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> [[UInt8]] {
    var values: [[UInt8]] = []
    var next = list
    while let word = next.pointee {
      values.append(UnsafeBufferPointer(start: word, count: strlen(word)).map { UInt8(bitPattern: $0) })
      next += 1
    }
    return values
  }
}

/// GLib has one name for the whole process.
private let programName = Mutex(())
