import Testing

@testable import EnclosureCommand

@Suite struct ProgressTests {
  private func progress(_ done: Int, of total: Int, rejected: Int = 0, elapsed: Double) -> Progress {
    var progress = Progress(total: total)
    progress.done = done
    progress.rejected = rejected
    progress.elapsed = elapsed
    return progress
  }

  @Test("the bar is as full as the work is done")
  func fills() {
    #expect(
      progress(50, of: 200, rejected: 3, elapsed: 2.5).bar(columns: 100)
        == "██████████────────────────────────────── 50/200 · 20.0/s · 8 s left · 3 rejected")
    #expect(
      progress(200, of: 200, elapsed: 10).bar(columns: 100)
        == "████████████████████████████████████████ 200/200 · 20.0/s · 0 s left")
  }

  @Test("a terminal without Unicode gets ASCII")
  func staysASCII() {
    let bar = progress(1, of: 4, rejected: 1, elapsed: 0.5).bar(columns: 60, isUnicode: false)
    #expect(bar == "######-------------------- 1/4, 2.0/s, 2 s left, 1 rejected")
  }

  @Test("a line never reaches the last column", arguments: 0...120)
  func fits(columns: Int) {
    for progress in [
      progress(0, of: 0, elapsed: 0), progress(0, of: 10, elapsed: 0.1),
      progress(123_456, of: 200_000, rejected: 999, elapsed: 86_400),
    ] {
      for isUnicode in [true, false] {
        #expect(progress.bar(columns: columns, isUnicode: isUnicode).count <= max(0, columns - 1))
      }
    }
  }

  @Test("before anything is done, nothing is promised")
  func promisesNothing() {
    #expect(progress(0, of: 10, elapsed: 0).line == "0 of 10 done, 0 rejected, 0.0 per second, ? s left")
  }

  @Test(
    "a time is written with two units at most",
    arguments: [
      (0, "0 s"), (59, "59 s"), (60, "1 min 00 s"), (185, "3 min 05 s"), (3599, "59 min 59 s"), (3600, "1 h 00 min"),
      (7800, "2 h 10 min"), (360_000, "100 h 00 min"),
    ])
  func writesDuration(seconds: Int, text: String) {
    #expect(Progress.duration(seconds: seconds) == text)
  }

  @Test(
    "whether a terminal shows Unicode follows from the first variable of the locale that is set",
    arguments: [
      ([:], false), (["LANG": "C.UTF-8"], true), (["LANG": "de_DE.utf8"], true), (["LANG": "C"], false),
      (["LANG": "en_US.UTF-8", "LC_ALL": "C"], false), (["LANG": "C", "LC_CTYPE": "en_US.UTF-8"], true),
      (["LANG": "en_US.UTF-8", "LC_ALL": ""], true), (["LANG": "en_US.ISO-8859-1"], false),
    ])
  func knowsUnicode(environment: [String: String], isShown: Bool) {
    #expect(Console.showsUnicode { environment[$0].map { Array($0.utf8) } } == isShown)
  }
}
