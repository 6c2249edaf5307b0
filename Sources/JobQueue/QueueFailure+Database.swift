import SQLite

extension QueueFailure {
  /// What a failure of SQLite means for the queue in the file `path`.
  init(_ failure: DatabaseFailure, path: String) {
    self =
      if failure.isFullDisk {
        .unavailable("the disk of the queue \(path) is full")
      } else if failure.isBusy {
        .unavailable("the queue \(path) is kept locked by another process")
      } else if failure.isDamage {
        .unusable("the queue \(path) is damaged, or no SQLite database: \(failure.message)")
      } else if failure.isForbidden {
        .unavailable("the queue \(path) cannot be opened or written: \(failure.message)")
      } else {
        .unavailable("the queue \(path) failed: \(failure.message) (SQLite's code \(failure.code))")
      }
  }
}
