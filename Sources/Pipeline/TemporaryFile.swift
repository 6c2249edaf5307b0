import AssetStore
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
  do throws(CallFailure) {
    return OpenFile(adopting: try openUnnamedFile(in: folder.bytes))
  } catch {
    throw FileFailure(errno: error.code)
  }
}
