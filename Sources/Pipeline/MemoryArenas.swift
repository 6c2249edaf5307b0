import CLinux

/// Keeps the C library from spreading this process's memory over eight arenas for each processor: each keeps what was
/// freed in it, so that a process with many threads seems to grow for hours. Call it before there are many threads.
package func limitMemoryArenas() {
  _ = enclosure_limit_arenas(2)
}
