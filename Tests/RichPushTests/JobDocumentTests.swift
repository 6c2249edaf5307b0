import FoundationEssentials
import RichPush
import SchemaSupport
import Testing

private let package = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

private func schema(_ name: String) throws -> JSONSchema {
  try JSONSchema(contentsOf: package.path + "/Sources/RichPush/\(name).schema.json")
}

private func document(_ text: String) throws -> JobDocument {
  try JSONDecoder().decode(JobDocument.self, from: Data(text.utf8))
}

private let maximal = """
  {"id": "order-1234", "sources": ["https://example.com/p/1", {"url": "file:///srv/a.jpg", "identifier": "hero"}],
   "payload": {"aps": {"alert": {"title": "Hi"}, "badge": 3, "sound": null}},
   "options": {"fit": "cover", "overlong": "trim", "thumbnailHidden": true,
               "thumbnailClippingRect": {"X": 0, "Y": 0.25, "Width": 1, "Height": 0.5}},
   "expiresAt": "2026-11-30T03:00:00+01:00", "callback": "https://example.com/ready?t=1"}
  """
private let minimal = #"{"id": "a", "sources": ["https://example.com/p/1"]}"#
private let withNulls = """
  {"id": "ä/ö", "sources": [{"url": "x", "identifier": null}], "payload": null,
   "options": {"fit": null, "thumbnailHidden": null, "thumbnailClippingRect": null}, "expiresAt": null, "callback": null}
  """

/// Faults that the schema finds too.
private let faults: [(String, field: String?, problem: String)] = [
  (#"[1]"#, nil, "must be an object, not an array"),
  (#"{"id": "a"}"#, "sources", "is missing; it must be an array of one to four sources"),
  (#"{"sources": ["x"]}"#, "id", "is missing; it must be a string"),
  (#"{"id": 17, "sources": ["x"]}"#, "id", "must be a string, not the number 17"),
  (#"{"id": "", "sources": ["x"]}"#, "id", "must have 1 to 464 bytes, not 0"),
  (#"{"id": "a\u0007", "sources": ["x"]}"#, "id", "must not have control characters"),
  (
    #"{"id": "enclosure.callback/x", "sources": ["x"]}"#, "id",
    "must not begin with “enclosure.”; such ids are reserved"
  ),
  (#"{"id": "a", "sources": []}"#, "sources", "must have 1 to 4 elements, not 0"),
  (#"{"id": "a", "sources": ["1","2","3","4","5"]}"#, "sources", "must have 1 to 4 elements, not 5"),
  (
    #"{"id": "a", "sources": "https://example.com/"}"#, "sources",
    "must be an array of one to four sources, not “https://example.com/”"
  ),
  (#"{"id": "a", "sources": ["x", 5]}"#, "sources[1]", "must be a URL or an object with one, not the number 5"),
  (#"{"id": "a", "sources": [""]}"#, "sources[0]", "must have 1 to 8192 bytes, not 0"),
  (
    #"{"id": "a", "sources": ["https://example.com/a b"]}"#, "sources[0]",
    "must not have spaces or control characters; a space is written %20"
  ),
  (#"{"id": "a", "sources": [{"identifier": "b"}]}"#, "sources[0].url", "is missing; it must be a string"),
  (
    #"{"id": "a", "sources": [{"url": "x", "identfier": "b"}]}"#, "sources[0].identfier",
    "is not a known field; is “identifier” meant?"
  ),
  (
    #"{"id": "a", "sources": [{"url": "x", "identifier": ""}]}"#, "sources[0].identifier",
    "must have 1 to 128 bytes and no control characters"
  ),
  (#"{"id": "a", "sources": ["x"], "payload": "hi"}"#, "payload", "must be an object, the APNs payload, not “hi”"),
  (
    #"{"id": "a", "sources": ["x"], "options": {"fit": "fill"}}"#, "options.fit",
    "must be “inside” or “cover”, not “fill”"
  ),
  (
    #"{"id": "a", "sources": ["x"], "options": {"thumbnailHidden": 1}}"#, "options.thumbnailHidden",
    "must be true or false, not the number 1"
  ),
  (
    #"{"id": "a", "sources": ["x"], "options": {"thumbnail_hidden": true}}"#, "options.thumbnail_hidden",
    "is not a known field; is “thumbnailHidden” meant?"
  ),
  (
    #"{"id": "a", "sources": ["x"], "options": {"thumbnailClippingRect": {"x": 0, "Y": 0, "Width": 1, "Height": 1}}}"#,
    "options.thumbnailClippingRect.x", "is not a known field; is “X” meant?"
  ),
  (
    #"{"id": "a", "sources": ["x"], "options": {"thumbnailClippingRect": {"X": 0, "Y": 0, "Width": 1}}}"#,
    "options.thumbnailClippingRect.Height", "is missing; it must be a number from 0 to 1"
  ),
  (
    #"{"id": "a", "sources": ["x"], "options": {"thumbnailClippingRect": {"X": 0, "Y": 0, "Width": 0, "Height": 1}}}"#,
    "options.thumbnailClippingRect", "must be a part of the picture, in fractions of its width and height"
  ),
  (#"{"id": "a", "sources": ["x"], "options": []}"#, "options", "must be an object, not an array"),
  (
    #"{"id": "a", "sources": ["x"], "options": {"overLong": "trim"}}"#, "options.overLong",
    "is not a known field; is “overlong” meant?"
  ),
  (
    #"{"id": "a", "sources": ["x"], "priority": 5}"#, "priority",
    "is not a known field; there are id, sources, payload, options, expiresAt, callback"
  ),
  (
    #"{"id": "a", "sources": ["x"], "expires_at": "2026-11-30T03:00:00Z"}"#, "expires_at",
    "is not a known field; is “expiresAt” meant?"
  ),
  (
    #"{"id": "a", "sources": ["x"], "expiresAt": "tomorrow"}"#, "expiresAt",
    "must be a time like 2026-11-30T03:00:00Z (RFC 3339), not “tomorrow”"
  ),
  (
    #"{"id": "a", "sources": ["x"], "expiresAt": 1764471600}"#, "expiresAt",
    "must be a string, not the number 1764471600"
  ),
  (
    #"{"id": "a", "sources": ["x"], "callback": "ftp://example.com"}"#, "callback",
    "must begin with https:// or http://"
  ),
]

@Suite struct JobDocumentTests {
  @Test("a job is what its document says")
  func reads() throws {
    let job = try document(maximal)
    #expect(job.id == "order-1234")
    #expect(
      job.sources == [.init(url: "https://example.com/p/1"), .init(url: "file:///srv/a.jpg", identifier: "hero")])
    #expect(job.payload?.members["aps"]?.members["badge"] == .integer(3))
    let rect = ClippingRect(x: 0, y: 0.25, width: 1, height: 0.5)
    #expect(
      job.options == .init(fit: .cover, overlong: .trim, thumbnailHidden: true, thumbnailClippingRect: rect))
    #expect(job.expiresAt?.secondsSince1970 == 1_796_004_000)
    #expect(job.callback == "https://example.com/ready?t=1")
  }

  @Test("what is left out, or null, is as by default")
  func readsLittle() throws {
    for text in [minimal, withNulls] {
      let job = try document(text)
      #expect(job.payload == nil && job.options == .init() && job.expiresAt == nil && job.callback == nil)
      #expect(job.sources.map(\.identifier) == [nil])
    }
  }

  @Test("a document that is written is read as the same job", arguments: [maximal, minimal, withNulls])
  func writes(text: String) throws {
    let job = try document(text)
    let written = try JSONEncoder().encode(job)
    #expect(try JSONDecoder().decode(JobDocument.self, from: written) == job)
    #expect(try schema("job").faults(of: JSONValue(encoding: job)) == [])
  }

  @Test("a fault names its field and says what was expected, and the schema finds it too", arguments: faults)
  func refuses(text: String, field: String?, problem: String) throws {
    #expect(throws: JobDocument.Fault(field, problem)) { try document(text) }
    let json = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    #expect(try schema("job").faults(of: json) != [])
  }

  @Test(
    "two sources never have one identifier",
    arguments: [
      #"{"id": "a", "sources": [{"url": "x", "identifier": "b"}, {"url": "y", "identifier": "b"}]}"#,
      #"{"id": "a", "sources": [{"url": "x", "identifier": "media-2"}, "y"]}"#,
    ])
  func refusesSameIdentifiers(text: String) {
    #expect(throws: JobDocument.Fault.self) { try document(text) }
  }

  @Test("a long or odd value is not repeated in full")
  func quotesBriefly() {
    let text = #"{"id": "a", "sources": ["x"], "options": {"fit": "\#(String(repeating: "x\\n", count: 1000))"}}"#
    do {
      _ = try document(text)
      Issue.record("it was accepted")
    } catch {
      let message = (error as? JobDocument.Fault)?.message ?? ""
      #expect(message.count < 250 && !message.contains("\n"))
    }
  }

  @Test("the schema describes each field")
  func isDescribed() throws {
    let root = try schema("job").root
    for name in ["id", "sources", "payload", "options", "expiresAt", "callback"] {
      #expect(root["properties"]?.members[name]?.members["description"]?.text?.isEmpty == false, "\(name)")
    }
    #expect(root["properties"]?.members.count == 6)
  }

  @Test(
    "each fault of a document is told of once, where it is",
    arguments: [
      (#"{"sources":["https://e.com/a"]}"#, ["id"]), (#"{"id":5,"sources":["https://e.com/a"]}"#, ["id"]),
      // A source that cannot be read has a number nevertheless.
      (
        #"{"id":"a","sources":[5,"https://e.com/a",{"url":"https://e.com/b","identifier":"media-1"}]}"#, ["sources[0]"]
      ),
      (
        #"{"id":"","sources":["https://e.com/a",{"url":"https://e.com/b","identifier":"media-1"}],"more":1}"#,
        ["more", "id", "sources[1].identifier"]
      ),
    ])
  func findings(_ json: String, _ places: [String]) throws {
    #expect(JobDocument.findings(in: try JSONValue(parsing: json)).map(\.place) == places)
  }
}

@Suite struct JobResultTests {
  @Test(
    "what is written is valid by the schema",
    arguments: [
      JobResult(maximalManifest, at: "manifests/order-1234.json", attempts: 2, endedAt: "2026-11-30T02:00:01Z"),
      JobResult(
        dead: "a", reason: "could not connect [fetch_failed]", codes: [.fetchFailed], attempts: 5,
        endedAt: "2026-11-30T02:00:01Z"),
    ])
  func validates(result: JobResult) throws {
    #expect(try schema("result").faults(of: JSONValue(encoding: result)) == [])
    let written = try JSONEncoder().encode(result)
    #expect(try JSONDecoder().decode(JobResult.self, from: written) == result)
  }

  @Test("a payload is nested 16 levels deep at most", arguments: [(14, true), (15, true), (16, false), (90, false)])
  func depth(arrays: Int, isTaken: Bool) throws {
    let nested = String(repeating: "[", count: arrays) + String(repeating: "]", count: arrays)
    let json = try JSONValue(parsing: #"{"id": "a", "sources": ["x"], "payload": {"a": \#(nested)}}"#)
    do {
      _ = try JobDocument(json)
      #expect(isTaken)
    } catch {
      #expect(!isTaken && error.field == "payload" && error.message.contains("16 levels"))
    }
  }
}

@Suite struct TimestampTests {
  @Test(
    "a moment is what RFC 3339 means",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2026-11-30T03:00:00Z", 1_796_007_600), ("2026-11-30T03:00:00.5Z", 1_796_007_600.5),
      ("2026-11-30t03:00:00z", 1_796_007_600), ("2026-11-30T04:30:00+01:30", 1_796_007_600),
      ("2026-11-29T22:00:00-05:00", 1_796_007_600), ("2024-02-29T00:00:00Z", 1_709_164_800),
      ("2000-03-01T00:00:00Z", 951_868_800), ("1969-12-31T23:59:59Z", -1), ("2016-12-31T23:59:60Z", 1_483_228_799),
      ("9999-12-31T23:59:59Z", 253_402_300_799), ("0000-01-01T00:00:00Z", -62_167_219_200),
    ] as [(String, Double)])
  func reads(text: String, seconds: Double) {
    #expect(Timestamp(text)?.secondsSince1970 == seconds)
  }

  @Test(
    "all else is none",
    arguments: [
      "", "tomorrow", "2026-11-30", "2026-11-30T03:00Z", "2026-11-30T03:00:00", "2026-13-01T00:00:00Z",
      "2026-02-29T00:00:00Z", "2026-11-31T00:00:00Z", "2026-11-30T24:00:00Z", "2026-11-30T03:60:00Z",
      "2026-11-30T03:00:61Z", "2026-11-30T03:00:00.Z", "2026-11-30T03:00:00+0100", "2026-11-30T03:00:00+25:00",
      "26-11-30T03:00:00Z", "2026-11-30T03:00:00Z ", "２026-11-30T03:00:00Z", "2026-11-30T03:00:00Z\0",
    ])
  func refuses(text: String) {
    #expect(Timestamp(text) == nil)
  }
}
