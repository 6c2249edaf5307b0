extension DiskCache {
  /// What everything in the cache takes together, in bytes; nil when that cannot be found out.
  package func totalBytes() async -> Int? {
    await read { open in try open.index.totalBytes() }
  }

  /// Makes room when the cache has become too large: by a tenth more than is needed, so that it is not done each time.
  func makeRoom() async {
    let goal = maximumBytes / 10 * 9
    guard let total = await totalBytes(), total > maximumBytes else { return }
    var isTooLarge = true
    while isTooLarge {
      // A batch at a time: others want to write too.
      isTooLarge = await write { open in try open.removeLeastRecentlyUsed(downTo: goal) } ?? false
    }
    await sweep(ifOlderThan: 600)
  }

  /// What is done when a cache is opened: its limit may be lower than last time, or processes were killed.
  func tidyUp() async {
    await sweep(ifOlderThan: 86_400)
    await makeRoom()
  }

  /// Removes files that nothing in the index refers to: a process was killed, or the index was lost.
  func sweep(ifOlderThan seconds: Int) async {
    let time = Int(now())
    let shards = await read { (open) -> [String]? in
      let swept = try open.index.swept()
      guard swept < time - seconds || swept > time else { return nil }
      return open.bodies.shards
    }
    guard let shards else { return }
    for shard in shards {
      _ = await write { (open) -> Void? in
        // Within a transaction nobody can be between naming a body and entering it.
        try open.index.transaction {
          for sha256 in open.bodies.bodies(in: shard) where try open.index.body(sha256) == nil {
            open.bodies.remove(sha256)
          }
        }
      }
    }
    _ = await write { (open) -> Void? in try open.index.setSwept(time) }
  }
}

extension OpenCache {
  /// - Returns: whether there is more to do.
  fileprivate func removeLeastRecentlyUsed(downTo goal: Int) throws -> Bool {
    try index.transaction {
      var total = try index.totalBytes()
      let items = try index.leastRecentlyUsed(64)
      for item in items {
        guard total > goal else { return false }
        switch item {
        case .body(let sha256, _):
          bodies.remove(sha256)
          try index.removeBody(sha256)
        case .document(let id, _): try index.removeDocument(id)
        }
        total = try index.totalBytes()
      }
      return !items.isEmpty && total > goal
    }
  }
}
