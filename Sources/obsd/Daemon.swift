internal import Foundation
internal import ObsCommandLine
internal import ObsConfig
internal import ObsHistory
internal import ObsLog
internal import ObsModel
internal import ObsReplica
internal import ObsServer
internal import Synchronization

/// One life of the daemon: from a checked configuration to the end of the drain.
struct Daemon: Sendable {
  typealias ReadAgain = @Sendable () -> Resolution

  private let resolution: Resolution
  private let readAgain: ReadAgain

  /// Begins with a configuration without problems; `readAgain` reads the same sources anew.
  init(_ resolution: Resolution, readAgain: @escaping ReadAgain) {
    self.resolution = resolution
    self.readAgain = readAgain
  }

  /// Serves until a signal comes and the connections are drained.
  ///
  /// - Parameter ready: called once, when clients can connect.
  /// - Throws: why it could not start.
  func run(_ ready: @Sendable (ServerAddress) -> Void) async throws(StartError) {
    let content = try Content.read(resolution.configuration)
    let server: Server
    do throws(ServerError) { server = try Server(resolution.configuration.server) } catch {
      throw startError(error)
    }
    for warning in resolution.warnings {
      let fields: JSON.Object = ["source": .string("\(warning.source)")]
      server.record(.warning, warning.message, fields)
    }
    let hangup = await ProcessSignal.hear(SIGHUP)
    let following = Task { [stream = hangup.stream] in await follow(stream, server) }
    let life = Life()
    server.notReady = "the document is being opened"
    let ended: StartError?
    do throws(ServerError) {
      try await server.run { address in
        do throws(StartError) {
          try await open(content, in: server, life)
          server.notReady = nil
          ready(address)
        } catch {
          life.failure.withLock { $0 = error }
          await server.stop()
        }
      }
      ended = life.failure.withLock { $0 }
    } catch { ended = startError(error) }
    hangup.end()
    let replaying = life.replaying.withLock { $0 }
    replaying?.cancel()
    await following.value
    await replaying?.value
    await life.replica.withLock { $0 }?.close()
    if let ended { throw ended }
  }

  /// What was begun behind the server, to be ended after it.
  private final class Life: Sendable {
    let replica = Mutex<Replica?>(nil)
    let replaying = Mutex<Task<Void, Never>?>(nil)
    let failure = Mutex<StartError?>(nil)
  }

  /// Gives the server its document: that of the data directory, or one in memory.
  private func open(
    _ content: Content,
    in server: Server,
    _ life: Life
  ) async throws(StartError) {
    let configuration = resolution.configuration
    if case .history(let reader, let rate) = content {
      let document = try await install(content, in: server)
      let replay = Replay(document: document, server: server, rate: rate)
      life.replaying.withLock { $0 = Task { await replay.run(reader) } }
    } else if configuration.memory {
      _ = try await install(content, in: server)
    } else {
      var beginning: JSON?
      if case .document(_, let json) = content { beginning = json }
      let storage = Storage(configuration: configuration, server: server)
      let replica = try await storage.open(beginning)
      life.replica.withLock { $0 = replica }
      let (info, now) = (await replica.logInfo, replica.now)
      server.record(
        .info,
        "the document is open",
        [
          "directory": .string(configuration.data), "log": .string(info.id.uuidString),
          "seq": .int(await replica.document.seq), "replayed": .int(Int64(now.replayed)),
          "seconds": .double((now.replaySeconds * 1000).rounded() / 1000),
        ]
      )
      do throws(ServerError) { try await server.host(replica) } catch { throw startError(error) }
    }
  }

  /// Gives the server its document, with the content in it.
  private func install(
    _ content: Content,
    in server: Server
  ) async throws(StartError) -> Document {
    let json: JSON
    var name = ""
    switch content {
    case .empty: json = [:]
    case .document(let file, let content): (json, name) = (content, file)
    case .history: json = SwiftEvolution.beginning
    }
    let document: Document
    do throws(CommitError) { document = try await Document(json) } catch {
      throw StartError(.badData, "\(name): \(error.pointer ?? ""): \(error.message)")
    }
    do throws(ServerError) { try await server.host(document) } catch {
      throw startError(error)
    }
    return document
  }

  private func startError(_ error: ServerError) -> StartError {
    switch error.code {
    case .cannotListen:
      let advice =
        "is another server running there? --host and --port choose; port 0 is any free one"
      return StartError(.unavailable, "\(error.message); \(advice)")
    case .badConfiguration: return StartError(.configuration, error.message)
    default: return StartError(.internal, error.description)
    }
  }

  /// Reads the configuration again whenever SIGHUP comes.
  private func follow(_ signals: AsyncStream<Void>, _ server: Server) async {
    for await _ in signals {
      let fresh = readAgain()
      guard fresh.problems.isEmpty else {
        for problem in fresh.problems {
          let fields: JSON.Object = [
            "source": .string("\(problem.source)"), "problem": .string(problem.message),
          ]
          server.record(.error, "the configuration is wrong; the old one stays in force", fields)
        }
        continue
      }
      server.logLevel = fresh.configuration.server.logLevel
      let waiting = Settings.all.filter {
        $0.key != "log.level"
          && $0.value(in: fresh.configuration) != $0.value(in: resolution.configuration)
      }
      server.record(.info, "configuration read again", ["logLevel": .string("\(server.logLevel)")])
      guard !waiting.isEmpty else { continue }
      let keys = JSON.array(waiting.map { .string($0.key) })
      server.record(.warning, "these settings wait for a restart", ["settings": keys])
    }
  }
}
