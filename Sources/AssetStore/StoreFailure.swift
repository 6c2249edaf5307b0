import Glibc
import RichPush

/// Makes a rejection of a system call that failed.
///
/// Nearly all of them pass: whoever runs the store frees space or mends permissions, and the same job works. Only a name
/// or size that the file system cannot hold stays that way.
///
/// - Parameters:
///   - code: the `errno` of the call.
///   - action: what could not be done, as in "cannot …": `write assets/ab/….jpg`.
///   - place: the store's folder.
func storeFailure(_ code: CInt, _ action: String, in place: String) -> Rejection.Reason {
  let (cause, remedy, permanent) = explanation(of: code)
  return Rejection.Reason(
    .storeFailed, at: .store, "cannot \(action) in \(place): \(cause); \(remedy)", permanent: permanent)
}

private func explanation(of code: CInt) -> (cause: String, remedy: String, permanent: Bool) {
  switch code {
  case ENOSPC: ("no space is left on the disk", "free some, or choose another folder", false)
  case EDQUOT: ("the disk quota is used up", "free some space, raise the quota, or choose another folder", false)
  case EACCES, EPERM:
    ("permission denied", "let this user (id \(geteuid())) write there, or choose another folder", false)
  case EROFS: ("the file system is read-only", "mount it writable, or choose another folder", false)
  case ENOTDIR: ("something on the way there is a file, not a folder", "remove it, or choose another folder", false)
  case EISDIR, EEXIST, ENOTEMPTY: ("something else already has that name", "move it away", false)
  case ENOENT: ("there is no such folder", "create it, or choose another one", false)
  case ELOOP: ("symbolic links lead in a circle", "mend them, or choose another folder", false)
  case ENAMETOOLONG: ("the name is too long for the file system", "use a shorter id or folder", true)
  case EFBIG: ("the file is larger than the file system or a limit of this process allows", "raise the limit", true)
  case EMFILE, ENFILE: ("too many files are open", "raise the limit on open files (ulimit -n)", false)
  case EIO: ("the disk reports an error", "check its health", false)
  default: (String(cString: strerror(code)), "try again, or choose another folder", false)
  }
}

extension Rejection.Reason {
  static func emptyAsset(_ type: AttachmentType) -> Rejection.Reason {
    Rejection.Reason(
      .storeFailed, at: .store, "the prepared \(type.kind.rawValue) is empty and was not stored", permanent: true)
  }
}
