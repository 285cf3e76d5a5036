import Foundation
import ObsTestSupport
import Testing

/// The runner of programs: nothing of a program is left when its test is over.
@Suite("Programs of the tests", .timeLimit(.minutes(5)))
struct ProgramTests {
  private static let shell = URL(filePath: "/bin/sh")

  /// Waits until a process has ended, whether or not its parent has been told.
  private static func waitForEnd(of process: Substring) async throws {
    while let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) {
      if status.split(separator: ")").last?.hasPrefix(" Z") == true { return }
      await Task.yield()
    }
  }

  @Test("lines of both outputs arrive, also an unfinished one, and the exit code")
  func outcome() async throws {
    let script = "read word; echo \"$word\"; echo '' ; printf rest; echo trouble >&2; exit 3"
    let outcome = try await withProgram(Self.shell, ["-c", script]) { program in
      try program.write("word")
      return await program.outcome()
    }
    #expect(outcome.code == 3)
    #expect(outcome.lines == ["word", "", "rest"])
    #expect(outcome.complaints == ["trouble"])
  }

  @Test("a signal's number comes back negative; after the end, signals go nowhere")
  func signal() async throws {
    try await withProgram(Self.shell, ["-c", "echo ready; read never"]) { program in
      #expect(await program.lines.next() == "ready")
      program.send(SIGTERM)
      #expect(await program.exitCode() == -SIGTERM)
      program.send(SIGTERM)
      #expect(throws: (any Error).self) { try program.write("too late") }
    }
  }

  @Test("a program inherits three files and no more")
  func files() async throws {
    // Nobody has said that this one is to be closed.
    let file = try #require(FileHandle(forReadingAtPath: "/dev/null"))
    _ = fcntl(file.fileDescriptor, F_SETFD, 0)
    defer { try? file.close() }
    let outcome = try await withProgram(URL(filePath: "/bin/ls"), ["/proc/self/fd"]) {
      await $0.outcome()
    }
    // The fourth is the folder that it lists.
    #expect(outcome.lines == ["0", "1", "2", "3"])
  }

  @Test("what a program started ends with it, also when it holds the output")
  func group() async throws {
    let script = "sleep 1000 & echo $!; read never"
    let child = try await withProgram(Self.shell, ["-c", script]) { await $0.lines.next() }
    try await Self.waitForEnd(of: Substring(try #require(child)))
  }

  @Test("an error and a cancelled task end the program")
  func everyPath() async throws {
    struct Trouble: Error {}
    let processes = Mailbox<String>()
    await #expect(throws: Trouble.self) {
      try await withProgram(Self.shell, ["-c", "echo $$; read never"]) { program in
        processes.post(try #require(await program.lines.next()))
        throw Trouble()
      }
    }
    let task = Task {
      try await withProgram(Self.shell, ["-c", "echo $$; read never"]) { program in
        processes.post(try #require(await program.lines.next()))
        return await program.outcome()
      }
    }
    let failed = try #require(await processes.next())
    let cancelled = try #require(await processes.next())
    task.cancel()
    for process in [failed, cancelled] { try await Self.waitForEnd(of: Substring(process)) }
    #expect(try await task.value.code == -SIGKILL)
  }

  @Test("a program that does not exist is an error that names it")
  func missing() async throws {
    let error = await #expect(throws: ProgramFailure.self) {
      try await withProgram(URL(filePath: "/nonexistent/program")) { _ in }
    }
    #expect(error?.description.contains("/nonexistent/program") == true)
  }

  @Test("a program does not outlive the test process, even one that is killed")
  func killed() async throws {
    let ended = await #expect(
      processExitsWith: .signal(SIGKILL),
      observing: [\.standardOutputContent]
    ) {
      try await withProgram(URL(filePath: "/bin/sh"), ["-c", "echo $$; read never"]) { program in
        print("process", try #require(await program.lines.next()))
        fflush(nil)
        kill(getpid(), SIGKILL)
        _ = await program.exitCode()
      }
    }
    let result = try #require(ended)
    let output = String(decoding: result.standardOutputContent, as: UTF8.self)
    let line = output.split(separator: "\n").first { $0.hasPrefix("process ") }
    try await Self.waitForEnd(of: try #require(line?.split(separator: " ").last))
  }
}
