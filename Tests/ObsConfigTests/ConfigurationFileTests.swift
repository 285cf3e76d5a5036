import Foundation
import Testing

@testable import ObsConfig

@Suite(.timeLimit(.minutes(5)))
struct ConfigurationFileTests {
  private func problems(_ text: String) -> [String] {
    ConfigurationFile(Array(text.utf8), name: "o.yaml").problems.map(\.description)
  }

  @Test func `values are read with their places`() {
    let text = """
      server:
        host: "::1"
        port: 9000
      origins: [https://a.example, "http://b.example:8080"]
      data: # nothing yet
      limits:
        messageBytes: 1MiB
        initTimeout: "500ms"
        operationsPerSecond: 2.5
      log: {level: off}
      """
    let file = ConfigurationFile(Array(text.utf8), name: "o.yaml")
    #expect(file.problems == [])
    #expect(
      file.entries.map { "\($0.setting.key) \($0.value) \($0.source)" } == [
        "server.host text(\"::1\") o.yaml:2:9",
        "server.port whole(9000) o.yaml:3:9",
        "origins list([\"https://a.example\", \"http://b.example:8080\"]) o.yaml:4:10",
        "limits.messageBytes whole(1048576) o.yaml:7:17",
        "limits.initTimeout time(0.5 seconds) o.yaml:8:16",
        "limits.operationsPerSecond number(2.5) o.yaml:9:24",
        "log.level text(\"off\") o.yaml:10:14",
      ]
    )
  }

  @Test(arguments: [
    (
      "server:\n  prot: 1",
      "o.yaml:2:3: there is no setting `server.prot`; did you mean `server.port`?"
    ),
    ("servr:\n  port: 1", "o.yaml:1:1: there is no setting `servr`; did you mean `server`?"),
    (
      "port: 1",
      "o.yaml:1:1: there is no setting `port`; did you mean `server.port`? "
        + "write `port: …` indented below `server:`"
    ),
    (
      "server.port: 1",
      "o.yaml:1:1: there is no setting `server.port`; write `port: …` indented below `server:`"
    ),
    (
      "server:\n  linger: 1s",
      "o.yaml:2:3: there is no setting `server.linger`; `linger` stands in the first column, in no group"
    ),
    (
      "tls:\n  cipher: x",
      "o.yaml:2:3: there is no setting `tls.cipher`; `tls` has certificate, key"
    ),
    (
      "database: x",
      "o.yaml:1:1: there is no setting `database`; "
        + "`obsd check-config --print-defaults` shows all that there are"
    ),
  ])
  func `an unknown key is told with what was probably meant`(text: String, problem: String) {
    #expect(problems(text) == [problem])
  }

  @Test(arguments: [
    (
      "server:\n  port: eighty",
      "2:9: `server.port` must be a whole number, 0 to 65535, not `eighty`"
    ),
    (
      "server:\n  port: 65536", "2:9: `server.port` must be a whole number, 0 to 65535, not `65536`"
    ),
    ("server:\n  port: -1", "2:9: `server.port` must be a whole number, 0 to 65535, not `-1`"),
    ("server:\n  port: 8e1", "2:9: `server.port` must be a whole number, 0 to 65535, not `8e1`"),
    (
      "server:\n  port: '80'",
      "2:9: `server.port` must be a whole number, 0 to 65535, not text; leave out the quotes"
    ),
    ("server:\n  port: [1]", "2:9: `server.port` must be a whole number, 0 to 65535, not a list"),
    (
      "server:\n  port: {a: 1}",
      "2:9: `server.port` must be a whole number, 0 to 65535, not a group"
    ),
    ("server:\n  port:", "2:8: `server.port` has no value; leave the line out for the default"),
    (
      "server:\n  port: null", "2:9: `server.port` has no value; leave the line out for the default"
    ),
    (
      "server:\n  host: 12",
      "2:9: `server.host` must be text, not a number; put it in quotes if it is meant as text: \"12\""
    ),
    (
      "environment: true",
      "1:14: `environment` must be text, not true or false; "
        + "put it in quotes if it is meant as text: \"true\""
    ),
    ("server:\n  host: ''", "2:9: `server.host` must be text, not ``"),
    ("server:\n  path: ws", "2:9: `server.path` must be a path that begins with `/`, not `ws`"),
    ("data:\n  memory: yes", "2:11: `data.memory` must be true or false, not `yes`; write true"),
    (
      "data:\n  memory: 'true'",
      "2:11: `data.memory` must be true or false, not text; leave out the quotes"
    ),
    (
      "log:\n  level: infos",
      "2:10: `log.level` must be one of debug, info, warning, error, off, not `infos`; did you mean `info`?"
    ),
    (
      "linger: 10",
      "1:9: `linger` must be a time such as 500ms, 10s or 2m, 0s to 24h, not `10`; add a unit, as in 10s"
    ),
    ("linger: 25h", "1:9: `linger` must be a time such as 500ms, 10s or 2m, 0s to 24h, not `25h`"),
    (
      "limits:\n  messageBytes: 1XB",
      "2:17: `limits.messageBytes` must be a size such as 256KiB, 1 to 1GiB, not `1XB`"
    ),
    (
      "limits:\n  operationBurst: .nan",
      "2:19: `limits.operationBurst` must be a number, 1 to 1000000, not `.nan`"
    ),
    (
      "origins: https://a.example",
      "1:10: `origins` must be a list, such as [https://app.example.org]"
    ),
    (
      "origins: [a.example]",
      "1:11: an element of `origins` must be an origin such as https://app.example.org, not `a.example`"
    ),
    (
      "origins: [[]]",
      "1:11: an element of `origins` must be an origin such as https://app.example.org, not a list"
    ),
    (
      "server: 3",
      "1:9: `server` is a group: its settings stand below it, indented, but here is `3`"
    ),
    (
      "server:\n  - port: 3",
      "2:3: `server` is a group: its settings stand below it, indented, but here is a list"
    ),
    ("- a", "1:1: a configuration is lines of `key: value`, but this is a list"),
    ("hello", "1:1: a configuration is lines of `key: value`, but this is `hello`"),
  ])
  func `a value of a wrong type or range is told with its place`(text: String, problem: String) {
    #expect(problems(text) == ["o.yaml:" + problem])
  }

  @Test func `all mistakes are told, in the order of the file`() {
    let text = "port: 1\nserver:\n  prot: 2\n  port: &a x\n  port: 3\nlinger: *a\ndrain: 5\n"
    #expect(
      problems(text).map { $0.split(separator: ":")[1...2].joined(separator: ":") } == [
        "1:1", "3:3", "4:9", "4:9", "5:3", "6:9", "7:8",
      ]
    )
  }

  @Test func `a path begins at the folder of the file`() throws {
    let text = "tls:\n  certificate: tls.crt\n  key: /run/tls.key\n"
    let file = ConfigurationFile(Array(text.utf8), name: "/etc/obs/obsd.yaml")
    #expect(file.entries.map(\.value) == [.text("/etc/obs/tls.crt"), .text("/run/tls.key")])
  }

  @Test(arguments: ["/nowhere/obsd.yaml", "/tmp"])
  func `a file that cannot be read is one problem`(path: String) {
    let file = ConfigurationFile(path: path)
    #expect(file.problems.count == 1)
    #expect(file.problems.first?.description.hasPrefix("\(path): cannot be read: ") == true)
  }
}
