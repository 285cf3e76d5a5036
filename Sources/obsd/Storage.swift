internal import Foundation
internal import ObsCommandLine
internal import ObsConfig
internal import ObsLog
internal import ObsModel
internal import ObsReplica
internal import ObsServer

/// Gives a server the document of a directory: opens its log, replays it, and says how far it is.
struct Storage: Sendable {
  let configuration: Configuration
  let server: Server

  /// Opens the directory of the configuration, which is made if it is not there.
  ///
  /// - Parameter beginning: what a new document begins with; nil is `{}`.
  /// - Returns: the replica, up to date.
  /// - Throws: why the directory cannot be used.
  func open(_ beginning: JSON?) async throws(StartError) -> Replica {
    let directory = configuration.data
    do throws(LogError) {
      if let beginning { try await seed(beginning, directory) }
      return try await Replica.open(try SQLiteLog(directory: directory), options) { told($0) }
    } catch { throw Storage.startError(error, directory) }
  }

  /// Puts the beginning into a log that is new; one that has content keeps it.
  private func seed(_ beginning: JSON, _ directory: String) async throws(LogError) {
    do throws(LogError) {
      try await Replica.seed(try SQLiteLog(directory: directory), with: beginning)
    } catch {
      guard case .foreign(let what) = error, what == Replica.holdsData else { throw error }
      server.record(
        .info,
        "the directory holds a document already, which is used; --load is for new ones",
        ["directory": .string(directory)]
      )
    }
  }

  private var options: ReplicaOptions {
    var options = ReplicaOptions()
    options.snapshotBytes = configuration.snapshotBytes
    options.snapshotInterval = configuration.snapshotInterval
    options.onTrouble = { [server] trouble in
      if let trouble {
        server.record(.error, "commits are refused", ["cause": .string(trouble)])
      } else {
        server.record(.info, "commits are taken again")
      }
    }
    options.onSnapshot = { [server] result in
      switch result {
      case .success(let snapshot):
        server.record(
          .info,
          "a snapshot was written",
          [
            "place": .int(Int64(snapshot.label.place.message)),
            "bytes": .int(Int64(snapshot.bytes)),
          ]
        )
      case .failure(let error):
        server.record(.error, "a snapshot could not be written", ["cause": .string("\(error)")])
      }
    }
    return options
  }

  private func told(_ progress: ReplicaProgress) {
    let (what, done, all) =
      switch progress {
      case .loading(let done, let all): ("loading the snapshot", done, all)
      case .replaying(let done, let all): ("replaying the log", done, all)
      }
    let percent = all == 0 ? 100 : done * 100 / all
    let text = "\(what), \(percent) %"
    guard server.notReady != text else { return }
    server.notReady = text
    if percent % 10 == 0, percent < 100 {
      server.record(.info, what, ["percent": .int(Int64(percent))])
    }
  }

  /// Why a directory cannot be used, and how obsd ends.
  static func startError(_ error: LogError, _ directory: String) -> StartError {
    let code: ExitCode =
      switch error {
      case .locked, .busy, .unavailable: .unavailable
      case .io, .full, .readOnly, .failed, .doubtful: .inputOutput
      default: .badData
      }
    return StartError(code, "\(directory): \(error)")
  }
}
