internal import ObsCommandLine
internal import Foundation

/// The command line: reads it, runs one command, and ends with a documented code.
@main
struct ObsCtl {
  static func main() async {
    let code = await run(
      CommandLine.arguments.dropFirst(),
      environment: ProcessInfo.processInfo.environment
    )
    exit(code.rawValue)
  }

  private static func run(
    _ arguments: some Sequence<String>,
    environment: [String: String]
  ) async -> ExitCode {
    let output = Output(program: "obsctl")
    do throws(CommandLineError) {
      switch try Invocation.parse(arguments, environment: environment) {
      case .help(let command):
        try? output.write(Help.text(command))
        return .ok
      case .version:
        try? output.line(Help.version)
        return .ok
      case .run(let invocation):
        return await Runner(invocation, output).run()
      }
    } catch {
      output.note(error.message)
      output.note("`obsctl --help` shows commands, options and examples")
      return .usage
    }
  }
}
