// libvips' variadic functions and GType macros, with fixed signatures.
#ifndef ENCLOSURE_CVIPS_SHIM_H
#define ENCLOSURE_CVIPS_SHIM_H
#include <vips/vips.h>
#endif
