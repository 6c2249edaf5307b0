import Blocking
import Digest
import FoundationEssentials
import Glibc
import Synchronization
package import Transfer

extension DiskCache: ResponseCache {
  package func response(to key: RequestKey) async -> CachedResponse? {
    let time = Int(now())
    let found = await read { (open) -> StoredResponse? in
      guard let row = try open.index.response(to: key.sha256) else { return nil }
      // The hash stands in both, and the row's is what removing a body goes by.
      guard let response = decoded(StoredResponse.self, row.content), response.sha256 == row.sha256,
        let body = try open.index.body(row.sha256)
      else {
        try open.index.removeResponse(to: key.sha256)
        return nil
      }
      // To the minute: otherwise every look would be a write.
      if body.used < time - 60 { try? open.index.useBody(row.sha256, at: time) }
      return response
    }
    guard let response = found else { return nil }
    switch await openBody(response.sha256, bytes: response.bytes) {
    case .whole(let body): return CachedResponse(response, body: body)
    case .damaged: await removeDamaged(response.sha256)
    case .unavailable: break
    }
    return nil
  }

  @discardableResult
  package func store(_ response: StoredResponse, body: Int32, for key: RequestKey) async -> Bool {
    // One that takes up half the room would drive out too much else.
    guard response.sha256.utf8.count == 64, response.bytes <= maximumBytes / 2,
      let content = encodedText(response)
    else {
      await remove(key)
      return false
    }
    // While the cache pauses, copying would be in vain.
    guard let folder = await write({ $0.bodies }), let copy = await copy(body, of: response, in: folder) else {
      return false
    }
    let time = Int(now())
    let isKept = await write { (open) -> Bool? in
      try open.index.transaction {
        let old = try open.index.response(to: key.sha256)?.sha256
        try open.index.keepBody(response.sha256, bytes: response.bytes, used: time)
        try open.index.keepResponse(content, to: key.sha256, sha256: response.sha256)
        if let copy = copy.file { try folder.place(copy, as: response.sha256) }
        // What no response has any more cannot be asked for.
        if let old, old != response.sha256, try !open.index.hasResponse(withBody: old) {
          folder.remove(old)
          try open.index.removeBody(old)
        }
      }
      return true
    }
    if isKept == true, let identity = copy.identity { noteVerified(response.sha256, identity) }
    await makeRoom()
    return isKept ?? false
  }

  package func update(_ response: StoredResponse, for key: RequestKey) async {
    guard let content = encodedText(response) else { return }
    _ = await write { (open) -> Void? in
      // Only while the body is there: another process may have dropped it.
      guard try open.index.body(response.sha256) != nil else { return }
      try open.index.keepResponse(content, to: key.sha256, sha256: response.sha256)
    }
  }

  package func remove(_ key: RequestKey) async {
    _ = await write { (open) -> Void? in try open.index.removeResponse(to: key.sha256) }
  }

  /// A body's copy, or nothing when the cache has the body already.
  private struct BodyCopy: @unchecked Sendable {
    // Sendable because nobody but the task that stores it has it.
    var file: BodyFolder.Copy?
    var identity: FileIdentity?
  }

  /// - Returns: nil when the body cannot be kept.
  private func copy(_ body: Int32, of response: StoredResponse, in folder: BodyFolder) async -> BodyCopy? {
    await blocking { [self] in
      if folder.bytes(of: response.sha256) == response.bytes { return BodyCopy() }
      do throws(CallFailure) {
        guard let file = try folder.copy(of: body, bytes: response.bytes, sha256: response.sha256) else { return nil }
        return BodyCopy(file: file, identity: try file.identity())
      } catch {
        note(error)
        return nil
      }
    }
  }

  private enum OpenedBody: Sendable {
    case whole(CachedBody)
    /// Missing, or not what its name says.
    case damaged
    /// It may be fine: there are too many open files, for instance.
    case unavailable
  }

  /// Opens a body and makes sure that it is what its name says.
  private func openBody(_ sha256: String, bytes: Int) async -> OpenedBody {
    guard let folder = await read({ $0.bodies }) else { return .unavailable }
    return await blocking { [self] () -> OpenedBody in
      let descriptor: Int32?
      do throws(CallFailure) {
        descriptor = try folder.open(sha256)
      } catch {
        return [EMFILE, ENFILE, ENOMEM].contains(error.code) ? .unavailable : .damaged
      }
      guard let descriptor else { return .damaged }
      let body = CachedBody(adopting: descriptor)
      guard let identity = try? FileIdentity(of: descriptor), identity.bytes == bytes else { return .damaged }
      if verified.withLock({ $0[sha256] == identity }) { return .whole(body) }
      guard let hash = try? Digest.sha256(ofFile: descriptor), hash.hex == sha256, hash.bytes == bytes else {
        return .damaged
      }
      noteVerified(sha256, identity)
      return .whole(body)
    }
  }

  private func noteVerified(_ sha256: String, _ identity: FileIdentity) {
    verified.withLock { known in
      if known.count >= 10_000 { known = [:] }
      known[sha256] = identity
    }
  }

  /// Forgets a body that is missing or not what it should be.
  private func removeDamaged(_ sha256: String) async {
    _ = await write { (open) -> Void? in
      try open.index.transaction {
        open.bodies.remove(sha256)
        try open.index.removeBody(sha256)
      }
    }
  }
}

func decoded<Value: Decodable>(_ type: Value.Type, _ content: String) -> Value? {
  try? JSONDecoder().decode(type, from: Data(content.utf8))
}

func encodedText(_ value: some Encodable) -> String? {
  (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) }
}
