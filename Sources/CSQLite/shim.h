#ifndef OBS_CSQLITE_SHIM_H
#define OBS_CSQLITE_SHIM_H
#include <sqlite3.h>
#include <sys/prctl.h>

/* Names the calling thread; the kernel keeps 15 bytes. */
static inline void csqlite_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

/* Binds bytes that SQLite copies (SQLITE_TRANSIENT is a cast, which Swift does not import). */
static inline int csqlite_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, count ? bytes : "", count, SQLITE_TRANSIENT);
}

static inline int csqlite_note_frames(void *frames, sqlite3 *database, const char *name, int count) {
  (void)database; (void)name;
  *(int *)frames = count;
  return SQLITE_OK;
}

/* Has the number of frames in the write-ahead log written to `frames` after each commit.
   It replaces the hook that checkpoints by itself. */
static inline void csqlite_watch_frames(sqlite3 *database, int *frames) {
  sqlite3_wal_hook(database, csqlite_note_frames, frames);
}
#endif
