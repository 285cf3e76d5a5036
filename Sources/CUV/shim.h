#ifndef OBS_CUV_SHIM_H
#define OBS_CUV_SHIM_H
#include <uv.h>
#endif
