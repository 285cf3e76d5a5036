public import Foundation
import Glibc

/// A pipe for one child process.
///
/// Others that are started at the same moment do not inherit it; else its end would come only with theirs.
public func privatePipe() -> Pipe {
  let pipe = Pipe()
  for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
    _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
  }
  return pipe
}
