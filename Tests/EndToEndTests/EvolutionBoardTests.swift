import Glibc
import ObsClient
import ObsTestSupport
import ObsWire
import Testing

@Suite(.timeLimit(.minutes(3)))
struct EvolutionBoardTests {
  private func withBoard(
    _ arguments: [String],
    environment: [String: String] = [:],
    _ body: (Program) async throws -> Void
  ) async throws {
    try await withProgram(
      Program.built("evolution-board"),
      arguments,
      environment: environment,
      body
    )
  }

  @Test func `the demo replays everything, finds no torn value, and says so`() async throws {
    try await withBoard(["--demo", "--rate", "0"], environment: ["ONCE": "1"]) { program in
      var figures: [String: Int] = [:]
      var counts: String?
      while let line = await program.lines.next() {
        if line.hasPrefix("final counts") { counts = line }
        // `torn values      0`: a name, then a number; a note may follow.
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(where: { Int($0) != nil }) else { continue }
        figures[words[..<place].joined(separator: " ")] = Int(words[place])
      }
      #expect(await program.exitCode() == 0)
      #expect(figures["transactions"] == 1817)
      #expect(figures["operations"] == 4404)
      #expect(figures["torn values"] == 0)
      #expect(counts?.contains("equal to swift-evolution.json: 548 proposals") == true)
      // Each transaction is a turn of its own; each turn evaluates each of the six queries at most once.
      let turns = try #require(figures["turns"])
      let evaluations = try #require(figures["evaluations"])
      #expect(turns >= 1817)
      #expect((1817...6 * turns).contains(evaluations))
      #expect(try #require(figures["frames"]) > 1817)
      #expect(try #require(figures["skips"]) > 0)
      #expect(figures["events"] == 4 * 1931)
    }
  }

  @Test func `it serves live queries, commands and events, and drains on SIGTERM`() async throws {
    try await withBoard(["--port", "0", "--rate", "0"]) { program in
      let line = try #require(await program.lines.next { $0.hasPrefix("listening on ws://") })
      let client = Client(String(line.dropFirst("listening on ".count)))
      for try await progress in client.values("progress", as: JSON.self) {
        if progress["finished"] == true { break }
      }
      #expect(try await client.call("inReview", as: Int.self) == 11)
      let newest = try await client.call("newest", ["limit": 2], as: [JSON].self)
      #expect(newest.map { $0["id"] } == ["SE-0546", "SE-0545"])

      var transitions = client.events("transitions", as: JSON.self).makeAsyncIterator()
      var counts = client.values("inReview", as: Int.self).makeAsyncIterator()
      #expect(try await counts.next() == 11)
      let change = try await client.call(
        "setState",
        ["id": "SE-0001", "state": "active review"],
        as: JSON.self
      )
      #expect(change == ["id": "SE-0001", "from": "implemented", "to": "active review"])
      #expect(try await counts.next() == 12)
      let event = try #require(try await transitions.next())
      #expect(event["id"] == "SE-0001")
      #expect(event["from"] == "implemented")
      #expect(event["to"] == "active review")

      program.send(SIGTERM)
      #expect(await program.exitCode() == 0)
      await client.close()
    }
  }

  @Test func `arguments that make no sense are refused with the reason`() async throws {
    try await withBoard(["--port", "0", "--rate", "0"]) { program in
      let line = try #require(await program.lines.next { $0.hasPrefix("listening on ws://") })
      let client = Client(String(line.dropFirst("listening on ".count)))
      let requests: [(String, JSON, ErrorCode, String)] = [
        ("setState", ["id": "SE-0001", "state": "done"], .invalidValue, "active review"),
        ("setState", ["id": "SE-9999", "state": "accepted"], .notFound, "SE-9999"),
        ("setState", ["id": "SE-0001"], .badVariables, "state"),
        ("newest", ["limit": 0], .invalidValue, "1 to 100"),
        ("newest", ["limit": "many"], .badVariables, "limit"),
        ("newst", [:], .unknownOperation, "newst"),
      ]
      for (operation, arguments, code, words) in requests {
        do throws(ClientError) {
          let answer = try await client.call(operation, arguments, as: JSON.self)
          Issue.record("\(operation)\(arguments) was answered with \(answer)")
        } catch {
          #expect(error.code == code)
          #expect(error.message.contains(words))
        }
      }
      await client.close()
      program.send(SIGTERM)
      #expect(await program.exitCode() == 0)
    }
  }

  @Test func `a signal ends the demo early, and the summary says that it was early`() async throws {
    try await withBoard(["--demo", "--once", "--rate", "20"]) { program in
      #expect(await program.lines.next { $0.contains("/1817") } != nil)
      program.send(SIGINT)
      #expect(await program.lines.next { $0 == "ended before the replay did" } != nil)
      #expect(await program.exitCode() == 1)
    }
  }

  @Test(arguments: [
    (["--port", "eighty"], [:], "--port must be a port"),
    ([], ["OBS_RATE": "fast"], "OBS_RATE must be transactions a second"),
    (["--tls-key", "key.pem"], [:], "TLS needs both files"),
    (["--demo", "--loop"], [:], "--loop is for serving"),
    (["--prot", "8080"], [:], "there is no option `--prot`"),
  ])
  func `a command line that makes no sense ends with 64 and what is wrong`(
    arguments: [String],
    environment: [String: String],
    complaint: String
  ) async throws {
    try await withBoard(arguments, environment: environment) { program in
      #expect(await program.complaints.next()?.contains(complaint) == true)
      #expect(await program.exitCode() == 64)
    }
  }

  @Test func `help names every option, variable and operation`() async throws {
    try await withBoard(["--help"]) { program in
      var text = ""
      while let line = await program.lines.next() { text += line + "\n" }
      #expect(await program.exitCode() == 0)
      let names = """
        --host --port --rate --demo --once --loop --log-level --tls-certificate --tls-key
        --allow-origin OBS_HOST OBS_PORT OBS_RATE OBS_LOG_LEVEL OBS_TLS_CERTIFICATE OBS_TLS_KEY
        OBS_ALLOWED_ORIGINS ONCE inReview newest byState anyReturnedThisYear setState transitions
        """
      for name in names.split(whereSeparator: \.isWhitespace) {
        #expect(text.contains(name), "\(name)")
      }
    }
  }
}
