internal import Foundation
internal import ObsCommandLine
internal import ObsConfig
internal import ObsServer

/// The daemon: reads its command line and its configuration, serves, and ends with a documented code.
@main
struct ObsD {
  static func main() async {
    let program = ObsD(environment: ProcessInfo.processInfo.environment)
    exit(await program.run(CommandLine.arguments.dropFirst()).rawValue)
  }

  private let environment: [String: String]
  private let output = Output(program: "obsd")

  private init(environment: [String: String]) {
    self.environment = environment
  }

  private func run(_ arguments: some Sequence<String>) async -> ExitCode {
    do throws(CommandLineError) {
      switch try Invocation.parse(arguments, environment: environment) {
      case .help: try? output.write(Help.text)
      case .version: try? output.line(Help.version)
      case .check(_, .defaults): try? output.write(ConfigurationText.sample)
      case .check(_, .reference): try? output.write(Reference.markdown)
      case .check(let options, .effective): return check(options)
      case .serve(let options): return await serve(options)
      case .restore(let options, let file):
        return await maintain(options, nil) { (it) async throws(StartError) in
          try await it.restore(file)
        }
      case .verify(let options, let directory):
        return await maintain(options, directory) { (it) async throws(StartError) in
          try await it.verify()
        }
      }
      return .ok
    } catch {
      output.note(error.message)
      output.note("`obsd --help` shows options and examples")
      return .usage
    }
  }

  private func resolve(_ options: Invocation.Options) -> Resolution {
    Resolution(file: options.file, environment: environment, flags: options.flags)
  }

  private func check(_ options: Invocation.Options) -> ExitCode {
    let resolution = resolve(options)
    for warning in resolution.warnings { output.note("warning: \(warning)") }
    guard resolution.problems.isEmpty else { return complain(resolution) }
    try? output.write(ConfigurationText.effective(resolution))
    return .ok
  }

  private func complain(_ resolution: Resolution) -> ExitCode {
    for problem in resolution.problems { output.note("\(problem)") }
    return .configuration
  }

  private func maintain(
    _ options: Invocation.Options,
    _ directory: String?,
    _ body: (Maintenance) async throws(StartError) -> Void
  ) async -> ExitCode {
    let resolution = resolve(options)
    guard resolution.problems.isEmpty else { return complain(resolution) }
    let directory = directory ?? resolution.configuration.data
    do throws(StartError) {
      try await body(Maintenance(directory: directory, output: output))
      return .ok
    } catch {
      output.note(error.message)
      return error.code
    }
  }

  private func serve(_ options: Invocation.Options) async -> ExitCode {
    let resolution = resolve(options)
    guard resolution.problems.isEmpty else { return complain(resolution) }
    let daemon = Daemon(resolution) { resolve(options) }
    do throws(StartError) {
      try await daemon.run { address in try? output.line("listening on \(address.url)") }
      return .ok
    } catch {
      output.note(error.message)
      return error.code
    }
  }
}
