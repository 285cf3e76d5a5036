#include "CFaultVFS.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { sector = 512, operations = 7, faults_at_most = 8 };

/* A change that the system's cache holds: a write, or with no bytes a cut. */
struct change {
  struct change *next;
  sqlite3_int64 offset;
  int count; /* -1: the file is cut at offset */
  unsigned char bytes[];
};

/* A file as the system sees it, with what the disk does not have yet. */
struct node {
  struct node *next;
  char *path;
  int real;
  unsigned char *bytes;
  sqlite3_int64 size, room;
  struct change *first, **last;
};

struct fault {
  int operation, how, after, times;
};

struct disk {
  sqlite3_vfs vfs; /* first: SQLite hands us this */
  pthread_mutex_t lock;
  char name[24];
  struct node *nodes;
  int life; /* files of an earlier life are dead */
  uint64_t seed;
  sqlite3_int64 counts[operations];
  struct fault faults[faults_at_most];
  int fault_count;
};

struct file {
  sqlite3_file base; /* first: SQLite hands us this */
  struct disk *disk;
  struct node *node;
  int life;
};

static struct disk *disks[4096];
static int disk_count;
static pthread_mutex_t disks_lock = PTHREAD_MUTEX_INITIALIZER;

/* Nodes */

static void set_size(struct node *node, sqlite3_int64 size) {
  if (size > node->room) {
    node->room = size * 2;
    node->bytes = realloc(node->bytes, node->room);
  }
  if (size > node->size) memset(node->bytes + node->size, 0, size - node->size);
  node->size = size;
}

static void forget_changes(struct node *node) {
  while (node->first) {
    struct change *change = node->first;
    node->first = change->next;
    free(change);
  }
  node->last = &node->first;
}

static void note_change(struct node *node, const void *bytes, int count, sqlite3_int64 offset) {
  struct change *change = malloc(sizeof *change + (count > 0 ? count : 0));
  change->next = NULL;
  change->offset = offset;
  change->count = count;
  if (count > 0) memcpy(change->bytes, bytes, count);
  *node->last = change;
  node->last = &change->next;
}

static void load(struct node *node) {
  struct stat status;
  forget_changes(node);
  set_size(node, fstat(node->real, &status) == 0 ? status.st_size : 0);
  if (node->size && pread(node->real, node->bytes, node->size, 0) != node->size) abort();
}

static struct node *find(struct disk *disk, const char *path) {
  for (struct node *node = disk->nodes; node; node = node->next)
    if (!strcmp(node->path, path)) return node;
  return NULL;
}

static void drop(struct disk *disk, struct node *node) {
  struct node **link = &disk->nodes;
  while (*link != node) link = &(*link)->next;
  *link = node->next;
  forget_changes(node);
  close(node->real);
  free(node->bytes);
  free(node->path);
  free(node);
}

static void apply(struct node *node, const struct change *change, sqlite3_int64 from, sqlite3_int64 to) {
  if (change->count < 0) {
    if (ftruncate(node->real, change->offset)) abort();
  } else if (to > from) {
    if (pwrite(node->real, change->bytes + from, to - from, change->offset + from) != to - from) abort();
  }
}

/* Faults */

static uint64_t chance(struct disk *disk) {
  uint64_t value = disk->seed += 0x9E3779B97F4A7C15u;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

static void power_off(struct disk *disk) {
  disk->life++;
  for (struct node *node = disk->nodes; node; node = node->next) {
    for (struct change *change = node->first; change && disk->seed; change = change->next) {
      uint64_t kind = chance(disk) % 3;
      if (kind == 0) continue;
      sqlite3_int64 whole = change->count, to = whole;
      if (kind == 2 && whole > sector) to = (sqlite3_int64)(chance(disk) % (whole / sector)) * sector;
      apply(node, change, 0, to);
    }
    load(node);
  }
}

static int counts_as(int fault, int operation) {
  return fault == operation || (fault == FAULT_ANY_CHANGE && operation <= FAULT_DELETE);
}

/* How an operation fails now; 0 when it does not. */
static int strike(struct disk *disk, int operation) {
  int how = 0;
  disk->counts[operation]++;
  if (operation <= FAULT_DELETE) disk->counts[FAULT_ANY_CHANGE]++;
  for (int i = 0; i < disk->fault_count; i++) {
    struct fault *fault = &disk->faults[i];
    if (!counts_as(fault->operation, operation)) continue;
    if (fault->after > 0) { fault->after--; continue; }
    if (fault->times < 0) continue;
    if (fault->times > 0 && --fault->times == 0) fault->times = -1;
    how = fault->how;
  }
  return how;
}

/* Files */

#define BEGIN(file)                                                                   \
  struct file *self = (struct file *)(file);                                          \
  struct disk *disk = self->disk;                                                     \
  struct node *node = self->node;                                                     \
  pthread_mutex_lock(&disk->lock);                                                    \
  if (self->life != disk->life) {                                                     \
    pthread_mutex_unlock(&disk->lock);                                                \
    return SQLITE_IOERR;                                                              \
  }                                                                                   \
  (void)node
#define END(code)                        \
  do {                                   \
    int result = (code);                 \
    pthread_mutex_unlock(&disk->lock);   \
    return result;                       \
  } while (0)

static int file_close(sqlite3_file *file) { (void)file; return SQLITE_OK; }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  BEGIN(file);
  if (strike(disk, FAULT_READ)) END(SQLITE_IOERR_READ);
  sqlite3_int64 there = node->size > offset ? node->size - offset : 0;
  if (there > count) there = count;
  if (there) memcpy(bytes, node->bytes + offset, there);
  if (there == count) END(SQLITE_OK);
  memset((char *)bytes + there, 0, count - there);
  END(SQLITE_IOERR_SHORT_READ);
}

static void put(struct node *node, const void *bytes, int count, sqlite3_int64 offset) {
  if (count == 0) return;
  if (offset + count > node->size) set_size(node, offset + count);
  memcpy(node->bytes + offset, bytes, count);
  note_change(node, bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  BEGIN(file);
  int how = strike(disk, FAULT_WRITE);
  put(node, bytes, how == FAULT_ENOSPC || how == FAULT_SHORT ? count / 2 : how == FAULT_EIO ? 0 : count, offset);
  if (how == FAULT_POWER) power_off(disk);
  END(how == 0 ? SQLITE_OK : how == FAULT_ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  BEGIN(file);
  int how = strike(disk, FAULT_TRUNCATE);
  if (how == 0 || how == FAULT_POWER) {
    set_size(node, size);
    note_change(node, NULL, -1, size);
  }
  if (how == FAULT_POWER) power_off(disk);
  END(how ? SQLITE_IOERR_TRUNCATE : SQLITE_OK);
}

static int file_sync(sqlite3_file *file, int flags) {
  (void)flags;
  BEGIN(file);
  int how = strike(disk, FAULT_SYNC);
  if (how == FAULT_POWER) {
    power_off(disk);
  } else {
    for (struct change *change = node->first; change && !how; change = change->next)
      apply(node, change, 0, change->count);
    forget_changes(node);
  }
  END(how ? SQLITE_IOERR_FSYNC : SQLITE_OK);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  BEGIN(file);
  *size = node->size;
  END(SQLITE_OK);
}

/* Who may open the files is not this layer's business: the log locks its directory. */
static int file_lock(sqlite3_file *file, int level) { (void)file; (void)level; return SQLITE_OK; }
static int file_reserved(sqlite3_file *file, int *reserved) { (void)file; *reserved = 0; return SQLITE_OK; }
static int file_control(sqlite3_file *file, int code, void *argument) {
  (void)file; (void)code; (void)argument;
  return SQLITE_NOTFOUND;
}
static int file_sector(sqlite3_file *file) { (void)file; return 4096; }
static int file_traits(sqlite3_file *file) { (void)file; return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

static const sqlite3_io_methods methods = {
  .iVersion = 1,
  .xClose = file_close,
  .xRead = file_read,
  .xWrite = file_write,
  .xTruncate = file_truncate,
  .xSync = file_sync,
  .xFileSize = file_size,
  .xLock = file_lock,
  .xUnlock = file_lock,
  .xCheckReservedLock = file_reserved,
  .xFileControl = file_control,
  .xSectorSize = file_sector,
  .xDeviceCharacteristics = file_traits,
};

/* The layer */

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename path, sqlite3_file *file, int flags, int *granted) {
  struct disk *disk = (struct disk *)vfs;
  struct file *self = (struct file *)file;
  memset(self, 0, sizeof *self);
  if (!path) return SQLITE_CANTOPEN;
  pthread_mutex_lock(&disk->lock);
  if (flags & SQLITE_OPEN_READWRITE && strike(disk, FAULT_OPEN_FOR_WRITING))
    flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
  struct node *node = find(disk, path);
  if (!node) {
    int real = open(path, O_RDWR | O_CLOEXEC | (flags & SQLITE_OPEN_CREATE ? O_CREAT : 0), 0600);
    if (real < 0) END(SQLITE_CANTOPEN);
    node = calloc(1, sizeof *node);
    node->path = strdup(path);
    node->real = real;
    node->last = &node->first;
    node->next = disk->nodes;
    disk->nodes = node;
    load(node);
  }
  self->base.pMethods = &methods;
  self->disk = disk;
  self->node = node;
  self->life = disk->life;
  if (granted) *granted = flags;
  END(SQLITE_OK);
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync) {
  struct disk *disk = (struct disk *)vfs;
  (void)sync;
  pthread_mutex_lock(&disk->lock);
  int how = strike(disk, FAULT_DELETE);
  if (how == FAULT_POWER) power_off(disk);
  if (how) END(SQLITE_IOERR_DELETE);
  struct node *node = find(disk, path);
  if (node) drop(disk, node);
  END(unlink(path) == 0 ? SQLITE_OK : SQLITE_IOERR_DELETE_NOENT);
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *answer) {
  (void)vfs; (void)flags;
  *answer = access(path, F_OK) == 0;
  return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int count, char *out) {
  (void)vfs;
  return sqlite3_vfs_find(NULL)->xFullPathname(sqlite3_vfs_find(NULL), path, count, out);
}
static int vfs_randomness(sqlite3_vfs *vfs, int count, char *out) {
  (void)vfs;
  return sqlite3_vfs_find(NULL)->xRandomness(sqlite3_vfs_find(NULL), count, out);
}
static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) { (void)vfs; return microseconds; }
static int vfs_time(sqlite3_vfs *vfs, double *time) {
  (void)vfs;
  return sqlite3_vfs_find(NULL)->xCurrentTime(sqlite3_vfs_find(NULL), time);
}
static int vfs_error(sqlite3_vfs *vfs, int count, char *out) { (void)vfs; (void)count; (void)out; return 0; }

int fault_disk_make(void) {
  struct disk *disk = calloc(1, sizeof *disk);
  pthread_mutex_init(&disk->lock, NULL);
  pthread_mutex_lock(&disks_lock);
  int number = disk_count++;
  if (number >= 4096) abort();
  disks[number] = disk;
  pthread_mutex_unlock(&disks_lock);
  snprintf(disk->name, sizeof disk->name, "fault%d", number);
  disk->vfs = (sqlite3_vfs){
    .iVersion = 1,
    .szOsFile = sizeof(struct file),
    .mxPathname = 1024,
    .zName = disk->name,
    .xOpen = vfs_open,
    .xDelete = vfs_delete,
    .xAccess = vfs_access,
    .xFullPathname = vfs_full_path,
    .xRandomness = vfs_randomness,
    .xSleep = vfs_sleep,
    .xCurrentTime = vfs_time,
    .xGetLastError = vfs_error,
  };
  if (sqlite3_vfs_register(&disk->vfs, 0) != SQLITE_OK) abort();
  return number;
}

/* Control */

#define DISK(number)              \
  struct disk *disk = disks[number]; \
  pthread_mutex_lock(&disk->lock)

void fault_disk_drop(int number) {
  DISK(number);
  disk->life++;
  while (disk->nodes) drop(disk, disk->nodes);
  pthread_mutex_unlock(&disk->lock);
}

void fault_disk_fail(int number, int operation, int how, int after, int times) {
  DISK(number);
  if (disk->fault_count == faults_at_most) abort();
  disk->faults[disk->fault_count++] = (struct fault){operation, how, after, times};
  pthread_mutex_unlock(&disk->lock);
}

void fault_disk_heal(int number) {
  DISK(number);
  disk->fault_count = 0;
  pthread_mutex_unlock(&disk->lock);
}

int64_t fault_disk_count(int number, int operation) {
  DISK(number);
  int64_t count = disk->counts[operation];
  pthread_mutex_unlock(&disk->lock);
  return count;
}

void fault_disk_seed(int number, uint64_t seed) {
  DISK(number);
  disk->seed = seed;
  pthread_mutex_unlock(&disk->lock);
}

void fault_disk_power_off(int number) {
  DISK(number);
  power_off(disk);
  pthread_mutex_unlock(&disk->lock);
}

void fault_disk_kill(int number) {
  DISK(number);
  disk->life++;
  pthread_mutex_unlock(&disk->lock);
}

int64_t fault_disk_unsynced(int number) {
  DISK(number);
  int64_t bytes = 0;
  for (struct node *node = disk->nodes; node; node = node->next)
    for (struct change *change = node->first; change; change = change->next)
      if (change->count > 0) bytes += change->count;
  pthread_mutex_unlock(&disk->lock);
  return bytes;
}
