import ObsCommandLine
import ObsModel
import ObsWire
import Testing

@testable import obsctl

@Suite(.timeLimit(.minutes(5)))
struct InvocationTests {
  private func options(
    _ line: String...,
    environment: [String: String] = [:]
  ) throws(CommandLineError) -> Invocation.Options {
    guard case .run(let invocation) = try Invocation.parse(line, environment: environment) else {
      throw CommandLineError("not to be run")
    }
    return invocation.options
  }

  private func command<C: Command>(_ line: String..., as type: C.Type = C.self) throws -> C {
    guard case .run(let invocation) = try Invocation.parse(line, environment: [:]) else {
      throw CommandLineError("not to be run")
    }
    return try #require(invocation.command as? C)
  }

  @Test("watch takes expressions and operations, each with the variables behind it")
  func watch() throws {
    let watch = try command(
      "watch",
      "length(values(issues)[?state == $s])",
      "--var",
      "s=open",
      "--operation",
      "newest",
      "--variables",
      #"{"count": 3}"#,
      "--var=who=kim=x",
      "--count",
      "2",
      as: WatchCommand.self
    )
    #expect(
      watch.asked.queries == [
        Query(
          subject: .expression("length(values(issues)[?state == $s])"),
          variables: ["s": "open"]
        ),
        Query(subject: .operation("newest"), variables: ["count": 3, "who": "kim=x"]),
      ]
    )
    #expect(watch.count == 2)
  }

  @Test("what is JSON is sent as JSON, anything else as text; $name is name")
  func variables() throws {
    let get = try command(
      "get",
      "@",
      "--var",
      "n=3",
      "--var",
      "s=open",
      "--var",
      "list=[1]",
      "--var",
      "$t=\"7\"",
      "--vars",
      #"{"o": {}}"#,
      as: GetCommand.self
    )
    #expect(
      get.asked.queries[0].variables == ["n": 3, "s": "open", "list": [1], "t": "7", "o": [:]]
    )
  }

  @Test("variables before the first query are its own; behind it they win")
  func earlyVariables() throws {
    let call = try command(
      "call",
      "--vars",
      #"{"a": 1, "b": 2}"#,
      "op",
      "--var",
      "a=9",
      as: CallCommand.self
    )
    #expect(
      call.asked.queries == [Query(subject: .operation("op"), variables: ["a": 9, "b": 2])]
    )
  }

  @Test(
    "the options of all commands; the environment gives address and token, the command line wins"
  )
  func common() throws {
    let environment = ["OBS_URL": "ws://e/ws", "OBS_TOKEN": "t"]
    #expect(try options("describe", environment: environment).url == "ws://e/ws")
    #expect(try options("describe", environment: environment).token == "t")
    #expect(
      try options("describe", "--url", "ws://c/ws", environment: environment).url == "ws://c/ws"
    )
    #expect(try options("describe", environment: ["OBS_URL": ""]).url == Invocation.defaultURL)
    let given = try options("watch", "a", "--timeout", "1.5", "--format=pretty", "--insecure")
    #expect(given.timeout == .seconds(1.5))
    #expect(given.format == .pretty)
    #expect(given.acceptsAnyCertificate)
  }

  @Test("writes: files, - for standard input, places, conditions and keys")
  func writes() throws {
    #expect(try command("patch", as: PatchCommand.self).input == Input(path: "-"))
    let patch = try command(
      "patch",
      "a.json",
      "--if-seq",
      "41",
      "--key",
      "k",
      as: PatchCommand.self
    )
    #expect(patch.input == Input(path: "a.json"))
    #expect(patch.writing == WriteArguments(ifSeq: 41, key: "k"))
    let merge = try command("merge", "/a~1b/c", "-", as: MergeCommand.self)
    #expect(merge.pointer?.tokens == ["a/b", "c"])
    #expect(merge.input == Input(path: "-"))
    #expect(try command("merge", "", as: MergeCommand.self).pointer?.tokens == [])
    let load = try command("import", "data.json", "--at", "/x", as: ImportCommand.self)
    #expect(load.input == Input(path: "data.json"))
    #expect(load.place.tokens == ["x"])
    let export = try command("export", "/x", "out.json", as: ExportCommand.self)
    #expect(export.place?.tokens == ["x"])
    #expect(export.file == "out.json")
    let replay = try command(
      "replay",
      "h.ndjson",
      "--rate",
      "2.5",
      "--from",
      "7",
      as: ReplayCommand.self
    )
    #expect(replay.rate == 2.5)
    #expect(replay.from == 7)
  }

  @Test("check takes an expression and a file")
  func check() throws {
    let check = try command("check", "a", "b.json", "--var", "x=1", as: CheckCommand.self)
    #expect(check.asked.queries == [Query(subject: .expression("a"), variables: ["x": 1])])
    #expect(check.input == Input(path: "b.json"))
  }

  @Test("help and version, of all and of each command, with usage and examples")
  func help() throws {
    guard case .help(nil) = try Invocation.parse(["--help"], environment: [:]),
      case .version = try Invocation.parse(["--version"], environment: [:]),
      case .help(nil) = try Invocation.parse(["help"], environment: [:])
    else {
      Issue.record("not help and version")
      return
    }
    for type in Commands.all {
      for line in [[type.name, "--help"], [type.name, "-h"], ["help", type.name]] {
        guard case .help(let shown?) = try Invocation.parse(line, environment: [:]) else {
          Issue.record("no help for \(line)")
          continue
        }
        #expect(shown.name == type.name)
      }
      #expect(type.help.hasPrefix("obsctl \(type.name): "))
      #expect(type.help.contains("USAGE\n  obsctl \(type.name) "))
      #expect(type.help.contains("EXAMPLES\n"))
      #expect(Help.text(nil).contains("  obsctl \(type.name) "))
    }
  }

  @Test("help speaks of every exit code")
  func exitCodes() {
    for code in [0, 64, 65, 66, 69, 70, 73, 75, 77, 130] {
      #expect(ExitCode(rawValue: Int32(code)) != nil)
      #expect(Help.text(nil).contains(" \(code)  "))
    }
  }

  @Test(
    "what makes no sense is said with what to do",
    arguments: [
      ([], "a command is missing: watch, get,"), (["wach"], "there is no command `wach`"),
      (["watch"], "obsctl watch 'length(issues)'"), (["watch", ""], "an expression is empty"),
      (["watch", "a", "--count", "0"], "--count must be a whole number above 0"),
      (["watch", "a", "--count"], "needs a value"),
      (["watch", "a", "--timeout", "soon"], "--timeout must be"),
      (["watch", "a", "--format", "xml"], "ndjson, value or pretty"),
      (["describe", "--format", "ndjson"], "text, json, value or pretty"),
      (["watch", "a", "--frmat", "x"], "has no option --frmat"),
      (["watch", "a", "--insecure=yes"], "takes no value"),
      (["watch", "a", "--vars", "[1]"], "JSON object"), (["watch", "a", "--vars", "{"], "line 1"),
      (["watch", "a", "--var", "n"], "name=value"), (["call", "a", "b"], "takes one operation"),
      (["call", "a", "--count", "1"], "no option --count"), (["get", "a", "b"], "no further word"),
      (["describe", "a"], "takes no operation"), (["check", "a", "--url", "x"], "no option --url"),
      (["patch", "--key", ""], "1 to 64 characters"),
      (["patch", "--if-seq", "-1"], "a whole number from 0"),
      (["merge"], "\"\" is the whole document"), (["merge", "issues/i01"], "begins with `/`"),
      (["merge", "/a~2"], "`~0` is `~`"), (["import"], "obsctl import data.json"),
      (["import", "a", "--at", "b"], "begins with `/`"), (["export", "a"], "begins with `/`"),
      (["replay"], "obsctl replay history.ndjson"),
      (["replay", "a", "--rate", "0"], "--rate must be a number of commits a second above 0"),
    ] as [([String], String)]
  )
  func complaints(line: [String], part: String) {
    do throws(CommandLineError) {
      _ = try Invocation.parse(line, environment: [:])
      Issue.record("taken: \(line)")
    } catch {
      #expect(error.message.contains(part))
    }
  }
}
