#ifndef OBS_CFAULTVFS_H
#define OBS_CFAULTVFS_H
#include <stdint.h>

/* A file layer (VFS) of SQLite for tests: disks that fail on request and can lose power.

   A disk keeps what was written and not synced in memory, as the system's cache does; a sync brings it to the real
   file. So after a loss of power the real files hold what was synced, and whatever else the disk chose to write.
   The VFS of disk 7 is named "fault7". Everything may be called from any thread. */

/* What can be made to fail. */
enum {
  FAULT_WRITE = 0,
  FAULT_SYNC = 1,
  FAULT_TRUNCATE = 2,
  FAULT_DELETE = 3,
  FAULT_READ = 4,
  FAULT_OPEN_FOR_WRITING = 5, /* the file may only be read */
  FAULT_ANY_CHANGE = 6, /* the first four */
};

/* How it fails. */
enum {
  FAULT_EIO = 1,    /* a failed sync also loses the pages that it was to write, as Linux does */
  FAULT_ENOSPC = 2, /* half of a write is done */
  FAULT_SHORT = 3,  /* half of a write is done, the rest fails as EIO */
  FAULT_POWER = 4,  /* the power goes */
};

/* Makes a disk and registers its VFS; returns its number. */
int fault_disk_make(void);
/* Frees what a disk keeps in memory; its VFS stays. */
void fault_disk_drop(int disk);

/* Lets `after` operations of a kind pass, then fails `times` of them (0: all). */
void fault_disk_fail(int disk, int operation, int how, int after, int times);
/* Nothing fails any more. */
void fault_disk_heal(int disk);
/* How many operations of a kind there were. */
int64_t fault_disk_count(int disk, int operation);

/* What a loss of power does with each write that was not synced: with seed 0 all are lost; else each is kept, lost or
   torn at a sector by chance. */
void fault_disk_seed(int disk, uint64_t seed);
/* The power goes now: unsynced writes as above; all open files are dead. */
void fault_disk_power_off(int disk);
/* The process dies: all open files are dead, but the system's cache lives on. */
void fault_disk_kill(int disk);
/* The bytes that wait for a sync. */
int64_t fault_disk_unsynced(int disk);
#endif
