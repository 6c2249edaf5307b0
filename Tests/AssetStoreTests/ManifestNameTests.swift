import AssetStore
import Testing

@Test(
  "an id is percent-encoded as one path component",
  arguments: [
    ("order-1234", "order-1234"),
    ("AZaz09-._~", "AZaz09-._~"),
    ("photos/a b.jpg", "photos%2Fa%20b.jpg"),
    ("100%", "100%25"),
    ("é", "%C3%A9"),
    ("🙂", "%F0%9F%99%82"),
    ("a\nb\u{0}", "a%0Ab%00"),
    ("../etc", "..%2Fetc"),
    (".", "%2E"),
    ("..", "%2E%2E"),
    ("...", "..."),
    (".hidden", ".hidden"),
    ("\u{fffd}", "%EF%BF%BD"),
    (String(repeating: "a", count: 200), String(repeating: "a", count: 200)),
  ])
func encodes(id: String, name: String) {
  #expect(manifestName(ofJob: id) == name)
}

/// The expected values are Python's: quote(id, safe="")[:160] and hashlib.sha256(id.encode()).hexdigest()[:32].
@Test(
  "a name over 200 bytes is cut between characters and told apart by its hash",
  arguments: [
    (
      String(repeating: "a", count: 201),
      String(repeating: "a", count: 160) + "~" + "a92efd82109373e58f9a2056dee01e80"
    ),
    (
      String(repeating: "é", count: 34),
      String(repeating: "%C3%A9", count: 26) + "%C3" + "~" + "c2061365f25e0f6f32bff7009de1be00"
    ),
    (
      "a" + String(repeating: "/", count: 67),
      "a" + String(repeating: "%2F", count: 53) + "~" + "4ea4a9f7ed3cc0dcf1a29d6ee330c355"
    ),
    (
      "aa" + String(repeating: "/", count: 67),
      "aa" + String(repeating: "%2F", count: 52) + "~" + "73d6ca581b2fadb5615b001c32ac4d59"
    ),
  ])
func shortens(id: String, name: String) {
  #expect(manifestName(ofJob: id) == name)
}

@Test("no id takes the name of another by looking like it")
func keepsLookalikesApart() {
  let long = String(repeating: "a", count: 201)
  let name = manifestName(ofJob: long)
  #expect(manifestName(ofJob: name) != name)
  #expect(manifestName(ofJob: name).utf8.count == name.utf8.count)
  let ordinary = "a~" + String(repeating: "0", count: 32)
  #expect(manifestName(ofJob: ordinary) == ordinary)
}
