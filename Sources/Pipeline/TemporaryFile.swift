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
  var template = folder.appending(Array("enclosure-XXXXXX".utf8)).bytes.map { CChar(bitPattern: $0) } + [0]
  let descriptor = enclosure_make_temporary(&template)
  guard descriptor >= 0 else { throw FileFailure(errno: errno) }
  unlink(template)
  return OpenFile(adopting: descriptor)
}
