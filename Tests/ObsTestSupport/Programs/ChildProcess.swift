import CSpawn
import Glibc

/// A child of the test process with pipes at its standard input, output and error, and no other file.
///
/// It leads a process group, and the kernel kills it when the thread that has made it ends (`setpriv` asks for that, PR_SET_PDEATHSIG):
/// this thread must wait for it.
struct ChildProcess: Sendable {
  /// Its process id, and that of its group.
  let id: pid_t
  /// Our ends of the pipes; those for reading do not block.
  let input: Int32
  let output: Int32
  let errors: Int32
  /// Ends when ``tellEnd()`` is called.
  private let end: (reading: Int32, writing: Int32)

  /// Starts a program with signals as they are for a new login.
  init(_ path: String, _ arguments: [String], _ environment: [String: String]) throws {
    guard unsafe access(path, X_OK) == 0 else {
      throw ProgramFailure("\(path) is no program that can be run, errno \(errno)")
    }
    // A write to a child that has ended is an error, not the end of the tests.
    signal(SIGPIPE, SIG_IGN)
    let pipes = try (0..<4).map { _ in try Self.pipe() }
    (input, output, errors, end) = (pipes[0].writing, pipes[1].reading, pipes[2].reading, pipes[3])
    let its = [pipes[0].reading, pipes[1].writing, pipes[2].writing]
    defer { for file in its { Glibc.close(file) } }
    do {
      let command = ["/usr/bin/setpriv", "--pdeathsig", "KILL", path] + arguments
      id = try Self.spawn(command, environment.map { "\($0)=\($1)" }, its)
    } catch {
      for file in [input, output, errors, end.reading, end.writing] { Glibc.close(file) }
      throw error
    }
    for file in [output, errors] { _ = fcntl(file, F_SETFL, O_NONBLOCK) }
  }

  /// Waits until it has ended; its id stays its own.
  func waitForEnd() {
    var information = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }

  /// Ends what is left of its group and gives up its id.
  ///
  /// Returns the exit code, or the negative number of the signal that ended it.
  func reap() -> Int32 {
    kill(-id, SIGKILL)
    var status: Int32 = 0
    while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
    // As the macros of <sys/wait.h> say: the lowest seven bits are the signal, the next byte is the exit code.
    return status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
  }

  /// Ends the waiting for output.
  func tellEnd() { Glibc.close(end.writing) }

  /// Waits for output; false after ``tellEnd()``.
  func waitForOutput(_ fromOutput: Bool, _ fromErrors: Bool) -> Bool {
    let files = [fromOutput ? output : -1, fromErrors ? errors : -1, end.reading]
    var polled = files.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = unsafe poll(&polled, nfds_t(polled.count), -1)
    return polled[2].revents == 0
  }

  /// Closes the pipes but for the input.
  func close() {
    for file in [output, errors, end.reading] { Glibc.close(file) }
  }

  private static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else {
      throw ProgramFailure("no pipe, errno \(errno)")
    }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ command: [String],
    _ environment: [String],
    _ ends: [Int32]
  ) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (number, end) in ends.enumerated() {
      unsafe posix_spawn_file_actions_adddup2(&actions, end, Int32(number))
    }
    // Also what others have opened without O_CLOEXEC.
    unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)

    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    // Tests of servers ignore some of these for a while.
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM] { unsafe sigaddset(&signals, signal) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

    var id: pid_t = 0
    let status = unsafe withCStrings(command) { arguments in
      unsafe withCStrings(environment) { environment in
        unsafe posix_spawn(&id, command[0], &actions, &attributes, arguments, environment)
      }
    }
    guard status == 0 else { throw ProgramFailure("cannot start \(command), errno \(status)") }
    return id
  }

  /// Lends strings as the null-terminated array that C wants.
  private static func withCStrings<Value>(
    _ strings: [String],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
  ) -> Value {
    let copies = unsafe strings.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    return unsafe body(copies + [nil])
  }
}
