import ObsCommandLine
import ObsWire
import Testing

@testable import obsctl

@Suite(.timeLimit(.minutes(5)))
struct InvocationTests {
  private func parse(
    _ line: String...,
    environment: [String: String] = [:]
  ) throws(CommandLineError) -> Invocation {
    guard case .run(let invocation) = try Invocation.parse(line, environment: environment) else {
      throw CommandLineError("not to be run")
    }
    return invocation
  }

  private func complaint(_ line: String...) -> String? {
    do throws(CommandLineError) {
      _ = try Invocation.parse(line, environment: [:])
      return nil
    } catch { return error.message }
  }

  @Test("watch as the issue spells it")
  func watch() throws {
    let invocation = try parse(
      "watch",
      "--operation",
      "newest",
      "--variables",
      #"{"count": 3}"#,
      "--url",
      "ws://h:1/ws",
      "--count",
      "2",
      "--timeout",
      "1.5",
      "--format",
      "value"
    )
    #expect(invocation.command == .watch)
    #expect(invocation.queries == [.init(operation: "newest", variables: ["count": 3])])
    #expect(invocation.url == "ws://h:1/ws")
    #expect(invocation.count == 2)
    #expect(invocation.timeout == .seconds(1.5))
    #expect(invocation.format == .value)
  }

  @Test("--name=value, words as operations, and --var with JSON or text")
  func conveniences() throws {
    let invocation = try parse(
      "watch",
      "a",
      "--var",
      "n=3",
      "--var=who=kim=x",
      "b",
      "--var",
      "list=[1]",
      "--format=pretty"
    )
    #expect(
      invocation.queries == [
        .init(operation: "a", variables: ["n": 3, "who": "kim=x"]),
        .init(operation: "b", variables: ["list": [1]]),
      ]
    )
    #expect(invocation.format == .pretty)
  }

  @Test("variables before the first operation are its own")
  func earlyVariables() throws {
    let invocation = try parse("call", "--variables", #"{"a": 1, "b": 2}"#, "op", "--var", "a=9")
    #expect(invocation.queries == [.init(operation: "op", variables: ["a": 9, "b": 2])])
  }

  @Test("the environment gives address and token, the command line wins, empty means unset")
  func environment() throws {
    let environment = ["OBS_URL": "ws://e/ws", "OBS_TOKEN": "t"]
    #expect(try parse("describe", environment: environment).url == "ws://e/ws")
    #expect(try parse("describe", environment: environment).token == "t")
    #expect(
      try parse("describe", "--url", "ws://c/ws", environment: environment).url == "ws://c/ws"
    )
    #expect(try parse("describe", environment: ["OBS_URL": ""]).url == Invocation.defaultURL)
  }

  @Test("help and version, of all and of each command")
  func help() throws {
    #expect(try Invocation.parse(["--help"], environment: [:]) == .help(nil))
    #expect(try Invocation.parse(["watch", "x", "-h"], environment: [:]) == .help(.watch))
    #expect(try Invocation.parse(["--version"], environment: [:]) == .version)
    for command in Invocation.Command.allCases {
      #expect(Help.text(command).contains("EXAMPLES"))
    }
  }

  @Test("what makes no sense is said with what to do")
  func complaints() {
    #expect(complaint() == "a command is missing: watch, call, events or describe")
    #expect(complaint("wach")?.contains("there is no command `wach`") == true)
    #expect(complaint("watch")?.contains("obsctl watch NAME") == true)
    #expect(complaint("watch", "a", "--count", "0")?.contains("--count must be") == true)
    #expect(complaint("watch", "a", "--count")?.contains("needs a value") == true)
    #expect(complaint("watch", "a", "--timeout", "soon")?.contains("--timeout must be") == true)
    #expect(complaint("watch", "a", "--format", "xml")?.contains("ndjson, value or pretty") == true)
    #expect(complaint("watch", "a", "--frmat", "x")?.contains("has no option --frmat") == true)
    #expect(complaint("watch", "a", "--insecure=yes")?.contains("takes no value") == true)
    #expect(complaint("watch", "a", "--variables", "[1]")?.contains("JSON object") == true)
    #expect(complaint("watch", "a", "--variables", "{")?.contains("line 1") == true)
    #expect(complaint("watch", "a", "--var", "n")?.contains("name=value") == true)
    #expect(complaint("call", "a", "b")?.contains("takes one operation") == true)
    #expect(complaint("call", "a", "--count", "1")?.contains("no option --count") == true)
    #expect(complaint("describe", "a")?.contains("takes no operation") == true)
    #expect(complaint("describe", "--var", "a=1")?.contains("no variables") == true)
  }

  @Test("JSON over several lines")
  func pretty() {
    let json: JSON = ["a": [1, ["b": .null]], "c": [], "d": [:]]
    #expect(
      json.pretty() == """
        {
          "a": [
            1,
            {
              "b": null
            }
          ],
          "c": [],
          "d": {}
        }
        """
    )
  }

  @Test("the board draws one line a query, and lets no value speak to the terminal")
  func board() {
    var board = Board(["a", "long"])
    #expect(
      board.show("1", at: 0) == "\u{1b}[?7l\r\u{1b}[2Ka     1\n\r\u{1b}[2Klong  …\n\u{1b}[?7h"
    )
    #expect(
      board.show("\u{9b}2J", at: 1)
        == "\u{1b}[2A\u{1b}[?7l\r\u{1b}[2Ka     1\n\r\u{1b}[2Klong  \u{FFFD}2J\n\u{1b}[?7h"
    )
  }
}
