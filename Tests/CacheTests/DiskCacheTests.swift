import Cache
import Digest
import Glibc
import TestSupport
import Testing
import Transfer

@Suite struct DiskCacheTests {
  let bench: CacheBench

  init() throws {
    bench = try CacheBench()
  }

  @Test("what was stored is found again, by another process too, and only under its own key")
  func finds() async throws {
    let body = bytes(300_000, seed: 1)
    let cache = await bench.open()
    #expect(content(await cache.response(to: key("a"))) == nil)
    #expect(try await bench.store(body, for: key("a"), in: cache))
    for cache in [cache, await bench.open()] {
      let found = try #require(await cache.response(to: key("a")))
      #expect(content(found) == body)
      #expect(found.response == (try bench.response(body)))
      #expect(content(await cache.response(to: key("b"))) == nil)
    }
    #expect(bench.warnings.list == [])
  }

  @Test("a response replaces that of the same request, and its body goes when nothing has it any more")
  func replaces() async throws {
    let cache = await bench.open()
    let (first, second) = (bytes(1000, seed: 1), bytes(2000, seed: 2))
    try await bench.store(first, for: key("a"), in: cache)
    try await bench.store(first, for: key("b"), in: cache)
    #expect(bodies == 1)
    try await bench.store(second, for: key("a"), in: cache)
    #expect(content(await cache.response(to: key("a"))) == second)
    #expect(content(await cache.response(to: key("b"))) == first)
    try await bench.store(second, for: key("b"), in: cache)
    #expect(bodies == 1)
  }

  @Test("an update changes what is said about a response, and a removal forgets it")
  func updates() async throws {
    let cache = await bench.open()
    let body = bytes(1000, seed: 1)
    try await bench.store(body, for: key("a"), in: cache)
    let later = try bench.response(body, cacheControl: "max-age=5", etag: "\"x\"")
    await cache.update(later, for: key("a"))
    #expect(await cache.response(to: key("a"))?.response == later)
    // Nothing is said about a body that is not there.
    await cache.update(try bench.response(bytes(10, seed: 9)), for: key("b"))
    #expect(content(await cache.response(to: key("b"))) == nil)
    await cache.remove(key("a"))
    #expect(content(await cache.response(to: key("a"))) == nil)
  }

  @Test("a body under a wrong hash, or shorter than said, is not kept")
  func wrongBody() async throws {
    let cache = await bench.open()
    let file = try ScratchFile(bytes(1000, seed: 1))
    var response = try bench.response(bytes(1000, seed: 2))
    #expect(await !cache.store(response, body: file.descriptor, for: key("a")))
    response = try bench.response(bytes(1000, seed: 1))
    response.bytes += 1
    #expect(await !cache.store(response, body: file.descriptor, for: key("a")))
    #expect(content(await cache.response(to: key("a"))) == nil)
    #expect(bodies == 0 && bench.folder.files(below: "cache/incoming") == [])
  }

  @Test(
    "a body that was damaged is a miss, and can be stored again",
    arguments: ["missing", "shorter", "longer", "changed", "a folder", "a link"], [true, false])
  func damagedBody(how: String, isOther: Bool) async throws {
    let body = bytes(5000, seed: 1)
    let first = await bench.open()
    try await bench.store(body, for: key("a"), in: first)
    let name = try #require(bench.folder.files(below: "cache/bodies").first)
    let path = "\(bench.folder.path)/\(name)"
    switch how {
    case "missing": unlink(path)
    case "shorter": truncate(path, 4000)
    case "longer": truncate(path, 6000)
    case "changed": try bench.folder.write([0] + body.dropFirst(), to: name)
    case "a folder":
      unlink(path)
      mkdir(path, 0o700)
    default:
      try bench.folder.write(body, to: "elsewhere")
      unlink(path)
      symlink("\(bench.folder.path)/elsewhere", path)
    }
    // Also for the one that has seen it whole.
    let cache = isOther ? await bench.open() : first
    #expect(content(await cache.response(to: key("a"))) == nil)
    if how == "a folder" { rmdir(path) }
    try await bench.store(body, for: key("a"), in: cache)
    #expect(content(await cache.response(to: key("a"))) == body)
  }

  @Test("an index that was damaged is made anew, whether that shows at the start or later", arguments: [0, 4096, 8192])
  func damagedIndex(offset: Int) async throws {
    for number in 0..<2 {
      let cache = await bench.open()
      for index in 0..<50 { try await bench.store(bytes(1000, seed: index), for: key("\(index)"), in: cache) }
      if number == 1 { break }
    }
    // The journal is in the index when the last connection has been closed.
    let path = "\(bench.path)/index.sqlite"
    var index = try #require(contentOfFile(path))
    try #require(index.count > offset + 4096)
    for place in offset..<offset + 4096 { index[place] = 0xA5 }
    try bench.folder.write(index, to: "cache/index.sqlite")

    let cache = await bench.open()
    for number in 0..<50 {
      let found = content(await cache.response(to: key("\(number)")))
      #expect(found == nil || found == bytes(1000, seed: number))
    }
    // What was stored before the damage showed is gone with the index.
    for number in 0..<100 {
      try await bench.store(bytes(1000, seed: number % 50), for: key("\(number % 50)"), in: cache)
    }
    // Another process finds them too: the old index took nothing of the new one with it.
    for cache in [cache, await bench.open()] {
      for number in 0..<50 {
        #expect(content(await cache.response(to: key("\(number)"))) == bytes(1000, seed: number))
      }
    }
  }

  @Test("an index of another version, or that is no database, is made anew, and the files of the old one go")
  func foreignIndex() async throws {
    for index in [Array("no database at all, and longer than a header of one is".utf8), []] {
      try? bench.folder.remove("cache/index.sqlite")
      try bench.folder.write(index, to: "cache/index.sqlite")
      let cache = await bench.open()
      try await bench.store(bytes(1000, seed: index.count), for: key("a"), in: cache)
      #expect(content(await cache.response(to: key("a"))) != nil)
      try bench.folder.write([1], to: "cache/bodies/ab/\("ab" + String(repeating: "0", count: 62))")
    }
    bench.clock.advance(100_000)
    _ = await bench.open()
    #expect(bodies == 1)
  }

  @Test("documents are found by kind, source and version")
  func documents() async throws {
    let cache = await bench.open()
    await cache.keep(["a": 1], as: .facts, of: "source", version: "1")
    await cache.keep(["a": 2], as: .facts, of: "source", version: "2")
    await cache.keep(["a": 3], as: .prepared, of: "source", version: "1")
    await cache.keep(["a": 4], as: .prepared, of: "source", version: "1")
    for cache in [cache, await bench.open()] {
      func document(_ kind: DiskCache.DocumentKind, _ source: String, _ version: String) async -> Int? {
        await cache.document(kind, of: source, version: version, as: [String: Int].self)?["a"]
      }
      #expect(await document(.facts, "source", "1") == 1)
      #expect(await document(.facts, "source", "2") == 2)
      #expect(await document(.prepared, "source", "1") == 4)
      #expect(await document(.prepared, "source", "2") == nil)
      #expect(await document(.facts, "other", "1") == nil)
    }
    // One that cannot be read is none.
    #expect(await cache.document(.facts, of: "source", version: "1", as: [Int].self) == nil)
  }

  @Test("only this user can read what is kept")
  func permissions() async throws {
    let cache = await bench.open()
    try await bench.store(bytes(1000, seed: 1), for: key("a"), in: cache)
    var status = stat()
    #expect(stat(bench.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
    for name in bench.folder.files(below: "cache/bodies") {
      #expect(stat("\(bench.folder.path)/\(name)", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
  }

  @Test("a folder that cannot be used is warned about, and nothing is kept")
  func unusable() async throws {
    try bench.folder.write([], to: "cache")
    let cache = await bench.open()
    #expect(bench.warnings.list.count == 1)
    #expect(bench.warnings.list.first?.contains("cannot be used") ?? false)
    #expect(try await !bench.store(bytes(1000, seed: 1), for: key("a"), in: cache))
    #expect(content(await cache.response(to: key("a"))) == nil)
  }

  @Test(
    "a full disk stops storing for a minute, with one warning, and what is kept can still be read",
    .enabled(if: SmallDisk.canBeMade, "only root can mount a small disk"))
  func fullDisk() async throws {
    let disk = try #require(SmallDisk(kilobytes: 1024))
    let bench = try CacheBench(at: "\(disk.path)/cache")
    let cache = await bench.open()
    let small = bytes(1000, seed: 1)
    #expect(try await bench.store(small, for: key("small"), in: cache))
    #expect(try await !bench.store(bytes(2_000_000, seed: 2), for: key("large"), in: cache))
    #expect(bench.warnings.list.count == 1)
    #expect(bench.warnings.list.first?.contains("No space left") ?? false, "\(bench.warnings.list)")
    #expect(try await !bench.store(bytes(1000, seed: 3), for: key("other"), in: cache))
    #expect(content(await cache.response(to: key("small"))) == small)
    #expect(content(await cache.response(to: key("large"))) == nil)
    bench.clock.advance(61)
    #expect(try await bench.store(bytes(1000, seed: 3), for: key("other"), in: cache))
    #expect(bench.warnings.list.count == 1)
  }

  private var bodies: Int { bench.folder.files(below: "cache/bodies").count }
}
