// The NATS client library, and what the thread that uses it sleeps on.
#ifndef ENCLOSURE_CNATS_SHIM_H
#define ENCLOSURE_CNATS_SHIM_H
#include <nats/nats.h>
#include <sys/eventfd.h>
#endif
