// Stands between a test program and the network, by defining two functions of the C library that libcurl calls: names
// get the answers that a test wants, and no connection leaves the machine.
//
// This works without any rights, and everything above it is real: libcurl's resolver thread, its cache, and what it
// dials.
#ifndef ENCLOSURE_CSCRIPTED_NETWORK_H
#define ENCLOSURE_CSCRIPTED_NETWORK_H

/// From now on `getaddrinfo` answers `name` with the addresses in `answers`: with those before the first semicolon when
/// asked the first time, and so on; the last ones stay. Addresses are separated by commas. Returns 0 when the script is
/// full or too long.
int enclosure_script_name(const char *_Nonnull name, const char *_Nonnull answers);

/// How often `name` was asked for; -1 when it is in no script.
int enclosure_lookups(const char *_Nonnull name);

/// Writes the addresses that were dialled at `port`, in their order, each followed by a space. Only those on loopback
/// were really dialled: `connect` refuses all others as if nobody listened there.
void enclosure_dialled(int port, char *_Nonnull text, unsigned long size);

#endif
