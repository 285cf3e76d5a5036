#ifndef OBS_CJANSSON_SHIM_H
#define OBS_CJANSSON_SHIM_H
#include <jansson.h>

/* json_typeof is a macro; Swift needs a function. */
static inline int cjansson_type(const json_t *value) { return (int)json_typeof(value); }
#endif
