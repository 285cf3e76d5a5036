internal import Foundation

/// Why a file cannot be read, in the words of the system.
public enum FileProblem {
  /// `No such file or directory` and the like, from an error of Foundation.
  public static func reason(_ error: any Error) -> String {
    switch (error as? CocoaError)?.code {
    case .fileReadNoSuchFile?, .fileNoSuchFile?: return "no such file"
    case .fileReadNoPermission?: return "no permission"
    default: break
    }
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    return (underlying ?? error as NSError).localizedDescription
  }

  /// Why a file cannot be opened for reading; nil when it can.
  public static func reading(_ path: String) -> String? {
    do {
      let handle = try FileHandle(forReadingFrom: URL(filePath: path))
      // A folder opens like a file, and only reading says what it is.
      _ = try handle.read(upToCount: 1)
      try handle.close()
      return nil
    } catch { return reason(error) }
  }
}
