/* Tells the thread sanitizer about the slow paths of Swift's Mutex, for scripts/sanitize.
 *
 * On Linux a contended Synchronization.Mutex is locked and unlocked inside libswiftSynchronization,
 * which is not instrumented: the sanitizer does not see that one thread waited for another, and reports
 * races on everything that a contended Mutex guards. These two functions stand in front of the
 * library's, call them, and say what they did. Swift passes the address of the lock as `self`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF) {
  SWIFT void (*library)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
  library(thread, self);
  __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF) {
  SWIFT void (*library)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
  __tsan_release(self);
  library(self);
}
