import AssetStore
import CLinux
import Glibc
package import MediaChannel

/// The folder for what is needed only as long as this process runs: `TMPDIR`, else /var/tmp, which has more room than
/// /tmp on machines where that is kept in memory.
package let temporaryFolder: FilePath = {
  let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
  return FilePath(named.isEmpty ? "/var/tmp" : named)
}()

/// Makes an empty file without a name, readable and writable: it is gone when it is closed, however that comes about.
func unnamedTemporaryFile(in folder: FilePath) throws(FileFailure) -> OpenFile {
  do throws(CallFailure) {
    return OpenFile(adopting: try openUnnamedFile(in: folder.bytes))
  } catch {
    throw FileFailure(errno: error.code)
  }
}

/// Makes an empty file that has no name until one is linked to it: without that, it is gone when it is closed, however
/// that comes about.
/// - Parameter mode: the rights that it will have, as far as the process's umask allows.
/// - Returns: nil where the file system knows no such files, or names cannot be linked to them for want of /proc.
package func fileWithoutName(in folder: FilePath, mode: UInt32) throws(FileFailure) -> OpenFile? {
  guard access("/proc/self/fd", X_OK) == 0 else { return nil }
  let descriptor = folder.withCString { enclosure_make_unnamed($0, mode) }
  guard descriptor < 0 else { return OpenFile(adopting: descriptor) }
  guard errno == EOPNOTSUPP else { throw FileFailure(errno: errno) }
  return nil
}
