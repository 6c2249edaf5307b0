// SQLite, and what of it is a macro.
#ifndef ENCLOSURE_CSQLITE_SHIM_H
#define ENCLOSURE_CSQLITE_SHIM_H
#include <sqlite3.h>

/// Binds a text that SQLite copies.
static inline int enclosure_bind_text(
    sqlite3_stmt *_Nonnull statement, int index, const char *_Nonnull text, int length) {
  return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

/// Binds bytes that SQLite copies.
static inline int enclosure_bind_blob(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, int length) {
  return bytes ? sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT)
               : sqlite3_bind_zeroblob(statement, index, 0);
}
#endif
