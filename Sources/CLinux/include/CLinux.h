// Linux calls that Swift cannot import: variadic functions, macros, and what glibc shows under _GNU_SOURCE only.
//
// This header includes no header of the system: a type that it brought in would be this module's and no longer Glibc's.
#ifndef ENCLOSURE_CLINUX_H
#define ENCLOSURE_CLINUX_H

/// Kills the calling process when the thread that started it ends.
int enclosure_die_with_parent(void);

/// From now on no program that is started may have more rights than this process.
int enclosure_forbid_new_privileges(void);

/// The version of Landlock that the kernel has, 0 when it has none.
int enclosure_landlock_version(void);

/// Sends `length` bytes and up to four descriptors as one message. Returns the bytes sent or -1.
long enclosure_send(
    int socket, const void *_Nullable bytes, unsigned long length, const int *_Nullable descriptors, int count);

/// Receives up to `length` bytes and up to four descriptors (close-on-exec, now the caller's to close); `count` says
/// how many came. Returns the bytes received, 0 at the end of the stream, or -1.
long enclosure_receive(
    int socket, void *_Nullable bytes, unsigned long length, int *_Nonnull descriptors, int *_Nonnull count);

/// Lets a program that is started have no descriptor from `from` on. `actions` is a posix_spawn_file_actions_t.
int enclosure_close_from(void *_Nonnull actions, int from);

/// Makes and opens a file in `folder` that has no name until linkat gives it one, readable and writable, close-on-exec.
/// Returns a descriptor or -1, with EOPNOTSUPP where the file system knows no such files.
int enclosure_make_unnamed(const char *_Nonnull folder, unsigned mode);

/// Makes and opens a file without a name in `folder`, readable and writable, close-on-exec. `pattern` is a path in the
/// folder as mkstemp takes it, for file systems that know no such files. Returns a descriptor or -1.
int enclosure_make_temporary(const char *_Nonnull folder, char *_Nonnull pattern);

/// Finds a file or folder without opening it (O_PATH), close-on-exec. Returns a descriptor or -1.
int enclosure_locate(const char *_Nonnull path);

/// Makes a file in memory of `size` bytes, close-on-exec, that can neither grow nor shrink. Returns a descriptor or -1.
int enclosure_memory_file(unsigned long size);

/// The number of processors that this process may run on; 0 when the kernel does not say.
int enclosure_processors(void);

/// Lets malloc have no more than `count` arenas. Returns 1, or 0 on an error.
int enclosure_limit_arenas(int count);

/// The exit status in a wait status.
int enclosure_exit_status(int status);

/// The signal that ended a process, by its wait status; 0 when none did.
int enclosure_signal(int status);

#endif
