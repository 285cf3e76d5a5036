import Glibc
import ObsServer
import ObsTestSupport
import Testing

/// Signals are the process's, so each test has a process of its own.
@Suite("Signals", .timeLimit(.minutes(5)))
struct SignalTests {
  @Test(
    "a signal that comes as soon as the server listens drains it",
    arguments: [SIGTERM, SIGINT]
  )
  func early(signal: Int32) async {
    await #expect(processExitsWith: .success) { [signal] in
      let records = Mailbox<LogRecord>()
      let server = try Server(
        .testing {
          $0.logLevel = .info
          $0.log = { records.post($0) }
        }
      )
      try await server.run { _ in kill(getpid(), signal) }
      records.finish()
      let draining = await records.rest().filter { $0.message == "draining" }
      #expect(draining.first?.fields["signal"] == .string(signal == SIGTERM ? "SIGTERM" : "SIGINT"))
    }
  }
}
