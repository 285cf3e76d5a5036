#ifndef OBS_CWEBSOCKETS_SHIM_H
#define OBS_CWEBSOCKETS_SHIM_H
/* What Swift cannot see of libwebsockets by itself: macros with casts, and enum values used as
 * or-ed flags. Never define _GNU_SOURCE here: it changes fd_set and breaks the debug build. */
#include <libwebsockets.h>

static inline int cws_write(struct lws *wsi, const void *bytes, size_t count, int flags) {
  return lws_write(wsi, (unsigned char *)bytes, count, (enum lws_write_protocol)flags);
}
#endif
