#ifndef OBS_CJANSSON_SHIM_H
#define OBS_CJANSSON_SHIM_H
#include <jansson.h>
#include <malloc.h>

/* json_typeof is a macro; Swift needs a function. */
static inline int cjansson_type(const json_t *value) { return (int)json_typeof(value); }

/* jansson's tree is six to eight times as large as the text; glibc keeps freed memory unless it is asked. */
static inline void cjansson_return_memory(void) { malloc_trim(0); }
#endif
