#ifndef ENCLOSURE_CGLIB_SHIM_H
#define ENCLOSURE_CGLIB_SHIM_H
#include <glib.h>
#endif
