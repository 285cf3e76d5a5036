internal import Foundation
internal import ObsCommandLine
internal import ObsLog
internal import ObsReplica

/// `obsd restore` and `obsd verify`: what is done with a directory while no daemon serves it.
struct Maintenance {
  let directory: String
  let output: Output

  /// Makes a new log with the content of a backup.
  func restore(_ file: String) async throws(StartError) {
    let handle: FileHandle
    do {
      handle = file == "-" ? .standardInput : try FileHandle(forReadingFrom: URL(filePath: file))
    } catch {
      throw StartError(.noInput, "\(file) cannot be read: \(FileProblem.reason(error))")
    }
    do throws(LogError) {
      let seq = try await Replica.restore(into: try SQLiteLog(directory: directory)) {
        let bytes = try handle.read(upToCount: 1 << 20) ?? Data()
        return bytes.isEmpty ? nil : [UInt8](bytes)
      }
      try? output.line("restored \(file) into \(directory): a new log, commits up to \(seq)")
    } catch {
      if case .foreign(let what) = error, what == Replica.holdsData {
        throw StartError(
          .badData,
          "\(directory) holds data already, which a restore does not replace; name a new directory by --data"
        )
      }
      throw Storage.startError(error, directory)
    }
  }

  /// Checks everything in the directory.
  func verify() async throws(StartError) {
    // Opening would make a log where there is none.
    guard FileManager.default.fileExists(atPath: directory + "/log.sqlite") else {
      throw StartError(.noInput, "\(directory) holds no data of obsd: there is no log.sqlite in it")
    }
    let result: ReplicaVerification
    do throws(LogError) {
      result = try await Replica.verify(try SQLiteLog(directory: directory))
    } catch { throw Storage.startError(error, directory) }
    guard result.findings.isEmpty else {
      for finding in result.findings { output.note("\(directory): \(finding)") }
      throw StartError(.badData, "\(directory) is damaged: \(result.findings.count) findings")
    }
    try? output.line(
      "\(directory) is sound: \(result.log.entries) entries with \(result.log.commits) commits, chain unbroken; "
        + "\(result.log.snapshots) snapshots, \(result.comparedSnapshots) compared with a replay; "
        + "commits up to \(result.seq)"
    )
  }
}
