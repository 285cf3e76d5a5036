#ifndef OBS_CYAML_SHIM_H
#define OBS_CYAML_SHIM_H
#include <yaml.h>
#endif
