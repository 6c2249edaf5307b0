import Testing

@testable import EnclosureCommand

private let syntax = Syntax(
  command: "pack", operands: "FILE…", summary: "Pack files",
  options: [
    .init("out", short: "o", .one("DIR"), "where to"),
    .init("ca-file", .one("FILE"), "whom to trust"),
    .init("tag", .many("WORD"), "what to call it"),
    .init("strict", .none, "be strict"),
    .init("helpers", .one("N"), "how many"),
    .init("fit", .one("inside|cover"), "how to fit"),
  ],
  details: "Examples:\n  enclosure pack a --out b")

private enum Fit: String, CaseIterable {
  case inside, cover
}

private func parse(_ words: String..., environment: [String: String] = [:]) throws -> Arguments {
  try syntax.parse(words.map { Array($0.utf8) }, environment: { environment[$0].map { Array($0.utf8) } })
}

@Suite("a command's arguments") struct SyntaxTests {
  @Test(
    "an option's value follows it or an equals sign",
    arguments: [
      ["--out", "a"], ["--out=a"], ["-o", "a"], ["--out", "x", "--out", "a"], ["x", "--out", "a"],
    ])
  func readsValues(words: [String]) throws {
    let arguments = try syntax.parse(words.map { Array($0.utf8) }, environment: { _ in nil })
    #expect(arguments.text("out") == "a")
    #expect(arguments.operands == (words.first == "x" ? [[UInt8(ascii: "x")]] : []))
  }

  @Test("what is not given is not there")
  func leavesOut() throws {
    let arguments = try parse()
    #expect(arguments.text("out") == nil)
    #expect(!arguments.has("strict"))
    #expect(arguments.operands.isEmpty)
    #expect(try arguments.number("helpers", in: 1...256) == nil)
    #expect(try arguments.choice("fit", of: Fit.self) == nil)
  }

  @Test("an option may come several times")
  func collects() throws {
    #expect(try parse("--tag", "a", "--tag=b").values["tag"] == [Array("a".utf8), Array("b".utf8)])
  }

  @Test("behind two dashes everything is an operand")
  func endsOptions() throws {
    let arguments = try parse("--strict", "--", "--out", "-x")
    #expect(arguments.has("strict"))
    #expect(arguments.operands == [Array("--out".utf8), Array("-x".utf8)])
  }

  @Test("names that are no UTF-8 stay as they are")
  func keepsBytes() throws {
    let name: [UInt8] = [0xFF, 0x0A, 0xFE]
    let arguments = try syntax.parse(
      [Array("--out".utf8), name, name, Array("--ca-file=".utf8) + name],
      environment: { _ in nil })
    #expect(arguments.bytes("out") == name)
    #expect(arguments.bytes("ca-file") == name)
    #expect(arguments.operands == [name])
  }

  @Test(
    "what makes no sense is refused with the word that does not",
    arguments: [(["--uot", "a"], "--uot"), (["--out"], "--out"), (["-x"], "-x"), (["--strict=maybe"], "--strict")])
  func refuses(words: [String], word: String) throws {
    let error = #expect(throws: UsageError.self) {
      try syntax.parse(words.map { Array($0.utf8) }, environment: { _ in nil })
    }
    #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
    #expect(error?.message.first?.isUppercase == false, "\(error?.message ?? "")")
  }

  @Test("a variable is the default of an option, which beats it")
  func readsEnvironment() throws {
    let environment = ["ENCLOSURE_OUT": "v", "ENCLOSURE_CA_FILE": "c", "ENCLOSURE_STRICT": "1"]
    let given = try parse("--out", "a", environment: environment)
    #expect(given.text("out") == "a")
    #expect(given.text("ca-file") == "c")
    #expect(given.has("strict"))
    #expect(try parse(environment: environment).text("out") == "v")
  }

  @Test(
    "a variable of an option that may come several times is a list with commas",
    arguments: [
      ("a", ["a"]), ("a,b", ["a", "b"]), (" a , b,", ["a", "b"]), (",", []), ("a b", ["a b"]), ("a,,b", ["a", "b"]),
    ])
  func readsLists(value: String, list: [String]) throws {
    #expect(try parse(environment: ["ENCLOSURE_TAG": value]).texts("tag") == list)
    #expect(try parse("--tag", "x,y", environment: ["ENCLOSURE_TAG": value]).texts("tag") == ["x,y"])
    #expect(try parse(environment: ["ENCLOSURE_OUT": value]).text("out") == value)
  }

  @Test("a variable can switch nothing on by being off", arguments: ["", "0", "no", "false", "NO"])
  func readsOff(value: String) throws {
    #expect(try !parse(environment: ["ENCLOSURE_STRICT": value]).has("strict"))
  }

  @Test("and something on by being on", arguments: ["1", "yes", "true", "True"])
  func readsOn(value: String) throws {
    #expect(try parse(environment: ["ENCLOSURE_STRICT": value]).has("strict"))
  }

  @Test("a variable that is neither is refused", arguments: ["maybe", "off", "2", " ", "yes "])
  func refusesHalf(value: String) throws {
    let error = #expect(throws: UsageError.self) { try parse(environment: ["ENCLOSURE_STRICT": value]) }
    #expect(error?.message == "ENCLOSURE_STRICT takes 1, true or yes, or else 0, false or no, not “\(value)”")
    #expect(try parse("--strict", environment: ["ENCLOSURE_STRICT": value]).has("strict"))
  }

  @Test(
    "an option with an empty value is refused with what it takes",
    arguments: [
      (["--out", ""], "--out is empty; it takes DIR"), (["--out="], "--out is empty; it takes DIR"),
      (["-o", ""], "--out is empty; it takes DIR"), (["--tag", "a", "--tag", ""], "--tag is empty; it takes WORD"),
      (["--fit="], "--fit is empty; it takes inside|cover"), (["--helpers", ""], "--helpers is empty; it takes N"),
      (["a", ""], "one of the operands is empty; they are: FILE…"),
    ])
  func refusesEmpty(words: [String], message: String) throws {
    let error = #expect(throws: UsageError.self) {
      try syntax.parse(words.map { Array($0.utf8) }, environment: { _ in nil })
    }
    #expect(error?.message == message)
  }

  @Test(
    "numbers are whole and in the range that is asked for",
    arguments: ["0", "-1", "257", "1.5", "many", "99999999999999999999"])
  func refusesNumbers(text: String) throws {
    let arguments = try parse("--helpers=\(text)")
    let error = #expect(throws: UsageError.self) { try arguments.number("helpers", in: 1...256) }
    #expect(error?.message == "--helpers takes a whole number from 1 to 256, not “\(text)”")
    #expect(try parse("--helpers=3").number("helpers", in: 3...3) == 3)
  }

  @Test("what a variable says wrong is told by the variable's name")
  func namesVariables() throws {
    let variables = try parse(environment: ["ENCLOSURE_HELPERS": "0", "ENCLOSURE_FIT": "x", "ENCLOSURE_CA_FILE": "c"])
    let number = #expect(throws: UsageError.self) { try variables.number("helpers", in: 1...256) }
    #expect(number?.message == "ENCLOSURE_HELPERS takes a whole number from 1 to 256, not “0”")
    let choice = #expect(throws: UsageError.self) { try variables.choice("fit", of: Fit.self) }
    #expect(choice?.message == "ENCLOSURE_FIT takes inside or cover, not “x”")
    #expect(variables.given("ca-file") == "ENCLOSURE_CA_FILE")
    #expect(try parse("--ca-file=a", environment: ["ENCLOSURE_CA_FILE": "c"]).given("ca-file") == "--ca-file")
  }

  @Test(
    "alternatives are listed as people do",
    arguments: [([], ""), (["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")])
  func listsAlternatives(words: [String], text: String) {
    #expect(alternatives(words) == text)
  }

  @Test("a choice is one of its words")
  func refusesChoices() throws {
    #expect(try parse("--fit=cover").choice("fit", of: Fit.self) == .cover)
    let arguments = try parse("--fit=outside")
    let error = #expect(throws: UsageError.self) { try arguments.choice("fit", of: Fit.self) }
    #expect(error?.message == "--fit takes inside or cover, not “outside”")
  }
}

@Suite("a command's help") struct HelpTests {
  @Test("the help names every option, how variables are called, and the examples")
  func isComplete() {
    for part in [
      "\n  enclosure pack [OPTION…] FILE…\n", "Pack files\n", "-o, --out=DIR", "--ca-file=FILE", "--tag=WORD",
      "--strict",
      "\n  enclosure pack a --out b\n", "ENCLOSURE_CA_FILE for --ca-file",
    ] {
      #expect(syntax.help.contains(part), "\(part)")
    }
  }

  @Test("every command has a summary, examples of itself, and help that fits a terminal")
  func commandsAreDescribed() {
    for command in EnclosureCommand.commands {
      let syntax = command.syntax
      #expect(!syntax.summary.isEmpty)
      #expect(syntax.help.contains("\n  enclosure \(syntax.command)"), "\(syntax.command)")
      #expect(syntax.details.contains("Example"), "\(syntax.command)")
      for line in syntax.help.split(separator: "\n") {
        #expect(line.count <= 120, "\(line)")
        #expect(line.last != " ", "\(line)")
      }
      #expect(Set(syntax.options.map(\.name)).count == syntax.options.count, "\(syntax.command) has an option twice")
    }
  }
}
