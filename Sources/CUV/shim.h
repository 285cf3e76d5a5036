#ifndef OBS_CUV_SHIM_H
#define OBS_CUV_SHIM_H
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <uv.h>

/* GNU extensions, declared here because _GNU_SOURCE would change fd_set (see CWebsockets). */
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

/* Accepts a connection as a non-blocking socket that does not survive exec. */
static inline int cuv_accept(int socket) {
  return accept4(socket, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* A counter in a file, for waking a poll; -1 when there is none to be had. */
static inline int cuv_wake_file(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

/* Names the calling thread; the kernel keeps 15 bytes. */
static inline void cuv_name_thread(const char *name) { prctl(PR_SET_NAME, name); }
#endif
