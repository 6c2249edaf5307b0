// libjpeg-turbo's own interface. Nothing of it needs a shim.
#ifndef ENCLOSURE_CTURBOJPEG_SHIM_H
#define ENCLOSURE_CTURBOJPEG_SHIM_H
#include <turbojpeg.h>
#endif
