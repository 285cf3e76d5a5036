internal import ObsCommandLine
internal import Foundation
internal import ObsClient

/// What a command works with.
struct Session: Sendable {
  let options: Invocation.Options
  let output: Output
  let client: Client

  init(_ options: Invocation.Options, _ output: Output) {
    self.options = options
    self.output = output
    var configuration = ClientConfiguration(token: options.token)
    if let file = options.certificateAuthorityFile { configuration.trust = .authority(file: file) }
    if options.acceptsAnyCertificate { configuration.trust = .anybody }
    client = Client(options.url, configuration)
  }
}

/// Runs one command until it is done, the time is up, nobody reads the output any more, or Ctrl-C is pressed.
struct Runner: Sendable {
  private let command: any Command
  private let session: Session

  init(_ invocation: Invocation, _ output: Output) {
    command = invocation.command
    session = Session(invocation.options, output)
  }

  private var output: Output { session.output }

  func run() async -> ExitCode {
    let code = await withTaskGroup(of: ExitCode?.self) { group in
      group.addTask { await perform() }
      group.addTask {
        // Ctrl-C, so that the connection is closed and the terminal left in order.
        let interrupt = await ProcessSignal.hear(SIGINT)
        for await _ in interrupt.stream { break }
        interrupt.end()
        return Task.isCancelled ? nil : .interrupted
      }
      // Values may never come; a call is made and finished also when nobody wants to see its answer.
      if type(of: command).isEndless {
        group.addTask {
          await output.waitForEnd()
          return Task.isCancelled ? nil : .ok
        }
      }
      if let timeout = session.options.timeout {
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
      output.note("not done after \(session.options.timeout ?? .zero), as --timeout says")
    }
    await session.client.close()
    return code
  }

  private func perform() async -> ExitCode {
    do {
      guard !type(of: command).isOffline else {
        try await command.run(session)
        return .ok
      }
      // The first attempt must succeed: a wrong address should say so, not wait for ever.
      try await session.client.connect()
      let reconnects = Task { await tellOfReconnects() }
      defer { reconnects.cancel() }
      try await command.run(session)
      return .ok
    } catch let complaint as Complaint {
      output.note(complaint.text)
      return complaint.code
    } catch let error as ClientError {
      if error.code != .cancelled { output.note(Complaint(error).text) }
      return ExitCode(error)
    } catch is Output.ReaderGone {
      return .ok
    } catch is CancellationError {
      return .interrupted
    } catch {
      output.note("\(error)")
      return .internal
    }
  }

  private func tellOfReconnects() async {
    for await state in session.client.states {
      switch state {
      case .backingOff(let delay, let error):
        output.note(
          "\(error.message); again in \(delay.formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 1))))"
        )
      default: break
      }
    }
  }
}
