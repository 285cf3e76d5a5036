#ifndef OBS_CSPAWN_SHIM_H
#define OBS_CSPAWN_SHIM_H
#include <spawn.h>

/* GNU extensions for starting processes, which Swift's Glibc module leaves out. */
extern int pipe2(int ends[2], int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
#endif
