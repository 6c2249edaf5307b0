import FoundationEssentials

extension DiskCache {
  /// What a document is about.
  package enum DocumentKind: String, Sendable {
    /// What the bytes of a source turned out to be.
    case facts
    /// What was made of a source by a recipe.
    case prepared
  }

  /// What was found out about a source before.
  ///
  /// - Parameters:
  ///   - source: SHA-256 of the source's bytes.
  ///   - version: names everything else that the answer depends on.
  /// - Returns: nil when there is nothing, or nothing that can be read.
  package func document<Value: Decodable & Sendable>(
    _ kind: DocumentKind, of source: String, version: String, as type: Value.Type
  ) async -> Value? {
    let time = Int(now())
    return await read { (open) -> Value? in
      guard let row = try open.index.document(kind.rawValue, of: source, version: version) else { return nil }
      guard let value = decoded(Value.self, row.content) else {
        try open.index.removeDocument(row.id)
        return nil
      }
      if row.used < time - 60 { try? open.index.useDocument(row.id, at: time) }
      return value
    }
  }

  package func keep(_ value: some Encodable, as kind: DocumentKind, of source: String, version: String) async {
    guard let content = encodedText(value) else { return }
    let time = Int(now())
    _ = await write { (open) -> Void? in
      try open.index.keepDocument(content, kind.rawValue, of: source, version: version, used: time)
    }
    await makeRoom()
  }
}
