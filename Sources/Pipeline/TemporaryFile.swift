import CLinux
import Glibc
import MediaChannel

/// The folder for what is needed only as long as this process runs: `TMPDIR`, else /var/tmp, which has more room than
/// /tmp on machines where that is kept in memory.
package let temporaryFolder: FilePath = {
  let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
  return FilePath(named.isEmpty ? "/var/tmp" : named)
}()

/// Makes an empty file without a name, readable and writable: it is gone when it is closed, however that comes about.
func unnamedTemporaryFile(in folder: FilePath) throws(FileFailure) -> OpenFile {
  var pattern = cString(folder.appending(Array("enclosure-XXXXXX".utf8)))
  let descriptor = enclosure_make_temporary(cString(folder), &pattern)
  guard descriptor >= 0 else { throw FileFailure(errno: errno) }
  return OpenFile(adopting: descriptor)
}

private func cString(_ path: FilePath) -> [CChar] {
  path.bytes.map { CChar(bitPattern: $0) } + [0]
}
