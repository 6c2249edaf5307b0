// SQLite, and what of it is a macro.
#ifndef ENCLOSURE_CSQLITE_SHIM_H
#define ENCLOSURE_CSQLITE_SHIM_H
#include <sqlite3.h>

/// Binds a text that SQLite copies.
static inline int enclosure_bind_text(
    sqlite3_stmt *_Nonnull statement, int index, const char *_Nonnull text, int length) {
  return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}
#endif
