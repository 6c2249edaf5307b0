import Cache
import Digest
import Glibc
import Transfer

/// Stores bodies and documents in the cache of its first argument, whose limit in bytes is the second, ever new ones and
/// some again, until it is killed. Prints a line once the first is stored.
///
/// The body for a request begins with the request's key, so that a reader can tell whose it is.
let cache = await DiskCache(
  path: Array(CommandLine.arguments[1].utf8), maximumBytes: Int(CommandLine.arguments[2]) ?? 0,
  warn: { warning in
    let line = Array("\(warning)\n".utf8)
    write(STDERR_FILENO, line, line.count)
  })
await withTaskGroup(of: Void.self) { group in
  for writer in 0..<4 {
    group.addTask {
      for number in 0... {
        let key = RequestKey(sha256: sha256(of: "\(writer) \(number % 40)".utf8))
        let body = Array("\(key.sha256) \(getpid()) \(number)".utf8) + [UInt8](repeating: 0x2E, count: 40_000)
        var name = Array("/tmp/enclosure-test-XXXXXX".utf8CString)
        let file = mkstemp(&name)
        unlink(name)
        guard file >= 0, write(file, body, body.count) == body.count else { exit(1) }
        let hash = sha256(of: body)
        let now = secondsSince1970()
        let response = StoredResponse(
          ResponseHeaders(cacheControl: "max-age=3600"), at: ExchangeTimes(requested: now, received: now), sha256: hash,
          bytes: body.count, declaredType: "text/plain")
        if let response { await cache.store(response, body: file, for: key) }
        close(file)
        await cache.keep(["key": key.sha256], as: .facts, of: hash, version: "1")
        if writer == 0, number == 0 { write(STDOUT_FILENO, "stored\n", 7) }
      }
    }
  }
}
