internal import Foundation
internal import ObsClient
internal import ObsCommandLine
internal import ObsWire

/// Runs one command until it is done, the time is up, nobody reads the output any more, or Ctrl-C is pressed.
struct Runner: Sendable {
  let invocation: Invocation
  let output: Output
  let client: Client

  init(_ invocation: Invocation, _ output: Output) {
    self.invocation = invocation
    self.output = output
    var configuration = ClientConfiguration(token: invocation.token)
    if let file = invocation.certificateAuthorityFile {
      configuration.trust = .authority(file: file)
    }
    if invocation.acceptsAnyCertificate { configuration.trust = .anybody }
    client = Client(invocation.url, configuration)
  }

  func run() async -> ExitCode {
    let code = await withTaskGroup(of: ExitCode?.self) { group in
      group.addTask { await perform() }
      group.addTask {
        await InterruptSignal.wait()
        return Task.isCancelled ? nil : .interrupted
      }
      // Values may never come; a call is made and finished also when nobody wants to see its answer.
      if [.watch, .events].contains(invocation.command) {
        group.addTask {
          await output.waitForEnd()
          return Task.isCancelled ? nil : .ok
        }
      }
      if let timeout = invocation.timeout {
        group.addTask {
          guard (try? await Task.sleep(for: timeout)) != nil else { return nil }
          return .timeout
        }
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first ?? .internal
    }
    if code == .timeout {
      output.note("not done after \(invocation.timeout ?? .zero), as --timeout says")
    }
    await client.close()
    return code
  }

  private func perform() async -> ExitCode {
    do {
      // The first attempt must succeed: a wrong address should say so, not wait for ever.
      try await client.connect()
      switch invocation.command {
      case .watch: try await watch()
      case .call: try await call()
      case .events: try await events()
      case .describe:
        try show(try await client.describe(), as: invocation.format ?? defaultFormat)
      }
      return .ok
    } catch let error as ClientError {
      if error.code != .cancelled { output.note("\(error)\(advice(error))") }
      return ExitCode(error)
    } catch is Output.ReaderGone {
      return .ok
    } catch {
      output.note("\(error)")
      return .internal
    }
  }

  private func advice(_ error: ClientError) -> String {
    switch ExitCode(error) {
    case .unavailable: "; is the server running, and is --url (or $OBS_URL) right?"
    case .noPermission: "; give a token with --token or $OBS_TOKEN"
    case .badData where error.code == .unknownOperation:
      "; `obsctl describe` lists the operations"
    default: ""
    }
  }

  // MARK: Commands

  private func watch() async throws {
    let lines = Lines(invocation, output)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        await tellOfReconnects()
        return false
      }
      for (index, query) in invocation.queries.enumerated() {
        group.addTask { try await watch(query, at: index, lines) }
      }
      // Done when the count is reached, or when every query has finished.
      var running = invocation.queries.count
      while running > 0, let isEnough = try await group.next() {
        if isEnough { break }
        running -= 1
      }
      group.cancelAll()
    }
  }

  /// Returns true when `--count` is reached, false when the query has finished.
  private func watch(
    _ query: Invocation.Query,
    at index: Int,
    _ lines: Lines
  ) async throws -> Bool {
    var frames = client.frames(query.operation, query.variables, as: JSON.self)
      .makeAsyncIterator()
    while true {
      let next: Result<Frame<JSON>?, ClientError>
      do throws(ClientError) { next = .success(try await frames.next()) } catch {
        next = .failure(error)
      }
      switch next {
      case .success(nil): return false
      case .success(let frame?):
        if try await lines.add(frame, of: query, at: index) { return true }
      case .failure(let error) where error.mayHeal:
        // The query has no value at present: a state of it like any other.
        if try await lines.add(error, of: query, at: index) { return true }
      case .failure(let error): throw error
      }
    }
  }

  private func tellOfReconnects() async {
    for await state in client.states {
      switch state {
      case .backingOff(let delay, let error):
        output.note(
          "\(error.message); again in \(delay.formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 1))))"
        )
      default: break
      }
    }
  }

  private func call() async throws {
    let query = invocation.queries[0]
    let answer = try await client.call(
      query.operation,
      query.variables,
      as: JSON.self,
      key: invocation.key
    )
    switch invocation.format ?? defaultFormat {
    case .ndjson:
      try output.line(
        JSON.object(["operation": .string(query.operation), "data": answer]).description
      )
    case let format: try show(answer, as: format)
    }
  }

  private func events() async throws {
    let query = invocation.queries[0]
    var count = 0
    for try await event in client.events(query.operation, query.variables, as: JSON.self).numbered {
      switch invocation.format ?? .ndjson {
      case .ndjson:
        var line: JSON.Object = ["operation": .string(query.operation), "data": event.value]
        if let number = event.number { line["event"] = .int(number) }
        if event.isAfterGap { line["gap"] = true }
        try output.line(JSON.object(line).description)
      case let format: try show(event.value, as: format)
      }
      count += 1
      if count == invocation.count { return }
    }
  }

  private var defaultFormat: Invocation.Format { output.isTerminal ? .pretty : .value }

  private func show(_ value: JSON, as format: Invocation.Format) throws {
    try output.line(format == .pretty ? value.pretty() : value.description)
  }
}
