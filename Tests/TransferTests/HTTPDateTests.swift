import Testing

@testable import Transfer

@Suite struct HTTPDateTests {
  @Test(
    "all three forms of a date are read",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 16 08:49:37 1994", 784_975_777),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200),
      ("Wednesday, 01-Jan-25 00:00:00 GMT", 1_735_689_600), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ])
  func reads(text: String, expected: Double) {
    #expect(seconds(ofHTTPDate: text, now: 1_764_000_000) == expected)
  }

  @Test(
    "anything else is no date",
    arguments: [
      "", "0", "-1", "now", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
      "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Thu, 29 Feb 2023 00:00:00 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
      "Sun, 00 Nov 1994 08:49:37 GMT", "Xxx, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
      "Sun, 06 Nov +994 08:49:37 GMT", "Sun, 06 Nov 19994 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
      "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, ٠٦ Nov 1994 08:49:37 GMT",
    ])
  func refuses(text: String) {
    #expect(seconds(ofHTTPDate: text, now: 1_764_000_000) == nil)
  }
}
