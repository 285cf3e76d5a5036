internal import Foundation
internal import ObsCommandLine
internal import ObsConfig
internal import ObsHistory
internal import ObsModel
internal import ObsServer

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
    let document = try await install(content, in: server)
    for warning in resolution.warnings {
      let fields: JSON.Object = ["source": .string("\(warning.source)")]
      server.record(.warning, warning.message, fields)
    }
    let hangup = await ProcessSignal.hear(SIGHUP)
    let following = Task { [stream = hangup.stream] in await follow(stream, server) }
    let replaying = Task {
      guard case .history(let reader, let rate) = content else { return }
      await Replay(document: document, server: server, rate: rate).run(reader)
    }
    let ended: StartError?
    do throws(ServerError) {
      try await server.run(ready)
      ended = nil
    } catch { ended = startError(error) }
    hangup.end()
    replaying.cancel()
    await following.value
    await replaying.value
    if let ended { throw ended }
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
