import CSQLite

/// SQLite could not do something; holds its result code, and its own text for messages.
package struct DatabaseFailure: Error {
  package let code: Int32
  package let message: String

  package init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  /// Whether the file is no database, or is one no more.
  package var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) }
  /// Whether other connections kept the database to themselves for too long.
  package var isBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xFF) }
  package var isFullDisk: Bool { code & 0xFF == SQLITE_FULL }
  /// Whether the file or what is needed beside it cannot be opened or written by this user.
  package var isForbidden: Bool { [SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH].contains(code & 0xFF) }
}

/// SQLite's version.
package var databaseLibraryVersion: String {
  String(cString: sqlite3_libversion())
}
