import ObsQuery
import ObsWire
import Testing

/// What each construct reads, over data that notes it: the table of docs/LANGUAGE.md, "What a query reads".
@Suite(.timeLimit(.minutes(5)))
struct LazinessTests {
  static let model: JSON = [
    "issues": [
      "i1": ["id": "i1", "title": "A", "state": "open", "votes": 3, "labels": ["x", "y"]],
      "i2": ["id": "i2", "title": "B", "state": "closed", "votes": 9, "labels": []],
      "i3": ["id": "i3", "title": "C", "state": "open", "votes": 5, "labels": ["x"]],
    ],
    "users": ["u1": ["name": "Ada"], "u2": ["name": "Bo"]],
    "list": [["n": 3, "m": 1], ["n": 1, "m": 2], ["n": 2, "m": 3]],
    "numbers": [3, 1, 2],
    "flag": true,
    "empty": [:],
  ]

  private func reads(
    _ text: String,
    _ variables: JSON.Object = [:],
    partitions: Bool = false
  ) throws -> [String] {
    let log = RecordingNode.Log()
    log.knowsPartitions = partitions
    let query = try PreparedQuery(try Expression(parsing: text), variables: variables)
    _ = try query.evaluate(.node(RecordingNode(Self.model, log: log), nil))
    return log.reads
  }

  @Test(arguments: [
    // A name makes a reference, and reads no more than that it is there.
    ("issues", ["issues"]),
    ("issues.i1.title", ["issues", "issues.i1", "issues/i1.title"]),
    ("$.flag", ["flag"]),
    // Membership only.
    ("length(issues)", ["issues", "issues membership"]),
    ("keys(issues)", ["issues", "issues membership"]),
    ("length(values(issues))", ["issues", "issues membership"]),
    ("length(list)", ["list", "list membership"]),
    ("!empty", ["empty", "empty membership"]),
    ("issues && flag", ["issues", "issues membership", "flag"]),
    // Walks over records read the members that the text names, and hand on references.
    ("values(issues)", ["issues", "issues membership"]),
    ("issues.*", ["issues", "issues membership"]),
    ("items(issues)", ["issues", "issues membership"]),
    ("issues.*.title", ["issues", "issues membership", "issues/*.title"]),
    (
      "values(issues)[?state == 'open']", ["issues", "issues membership", "issues/*.state"]
    ),
    (
      "length(values(issues)[?state == 'open'])",
      ["issues", "issues membership", "issues/*.state"]
    ),
    (
      "values(issues)[?state == 'open'].id",
      ["issues", "issues membership", "issues/*.state", "issues/*.id"]
    ),
    ("values(numbers[?@ > `1`] | {a: @})", ["numbers", "numbers membership", "numbers scalars"]),
    // Sorting reads the keys; what follows reads what it names.
    ("sort_by(values(issues), &votes)", ["issues", "issues membership", "issues/*.votes"]),
    (
      "sort_by(values(issues), &votes)[:1].title",
      ["issues", "issues membership", "issues/*.votes", "issues/*.title"]
    ),
    (
      "max_by(values(issues), &votes).id",
      ["issues", "issues membership", "issues/*.votes", "issues/*.id"]
    ),
    ("sum(values(issues)[*].votes)", ["issues", "issues membership", "issues/*.votes"]),
    ("group_by(values(issues), &state)", ["issues", "issues membership", "issues/*.state"]),
    // One element, or some.
    ("list[0].n", ["list", "list[0]", "list/0.n"]),
    ("list[-1].n", ["list", "list membership", "list[2]", "list/2.n"]),
    (
      "list[1:].n",
      ["list", "list membership", "list[1]", "list/1.n", "list[2]", "list/2.n"]
    ),
    // One key, present or absent.
    ("lookup(users, 'u2').name", ["users", "users.u2", "users/u2.name"]),
    ("lookup(users, 'u9').name", ["users", "users.u9"]),
    ("users.u9", ["users", "users.u9"]),
    // What decides ends it.
    ("flag || issues.i1.title", ["flag"]),
    ("missing && issues.i1.title", ["missing"]),
    ("flag ? 'x' : issues.i1.title", ["flag"]),
    ("flag ? issues.i1.title : users", ["flag", "issues", "issues.i1", "issues/i1.title"]),
    ("not_null(flag, users)", ["flag"]),
    ("missing.users", ["missing"]),
    // A variable is a reference.
    ("let $u = users in `1`", ["users"]),
    ("let $u = users in $u.u1.name", ["users", "users.u1", "users/u1.name"]),
    // Containers are compared member by member, up to the first difference.
    ("users == list", ["users", "list"]),
    ("users == issues", ["users", "issues", "users membership", "issues membership"]),
    ("let $u = users in $u == $u", ["users"]),
  ])
  func `a construct reads what it needs`(text: String, expected: [String]) throws {
    let reads = try reads(text)
    // `users` is read once for each time it is named; the log keeps the first.
    #expect(reads == expected, "\(text)")
  }

  @Test(arguments: [
    ("any(values(issues), &(votes > `1`))", 1),
    ("any(values(issues), &(votes > `5`))", 2),
    ("any(values(issues), &(votes > `50`))", 3),
    ("all(values(issues), &(votes > `5`))", 1),
    ("all(values(issues), &(votes > `1`))", 3),
    ("any(values(issues)[?votes > `1`].votes, &(@ > `5`))", 2),
    ("contains(numbers, `1`)", 2),
    ("users == {u1: {name: 'X'}, u2: `1`}", 2),
  ])
  func `a walk ends at the decision`(text: String, walked: Int) throws {
    let log = RecordingNode.Log()
    let query = try PreparedQuery(try Expression(parsing: text))
    _ = try query.evaluate(.node(RecordingNode(Self.model, log: log), nil))
    #expect(log.walked == walked, "\(text)")
  }

  @Test(arguments: [
    (
      "length(values(issues)[?state == 'open'])",
      [
        "issues", "issues[state=\"open\"]",
        "issues[state=\"open\"] membership",
      ]
    ),
    (
      "length(values(issues)[?$s == state])",
      [
        "issues", "issues[state=\"open\"]",
        "issues[state=\"open\"] membership",
      ]
    ),
    (
      "values(issues)[?state == 'open'].id",
      [
        "issues", "issues[state=\"open\"]",
        "issues[state=\"open\"] membership", "issues[state=\"open\"]/*.id",
      ]
    ),
    (
      "values(issues)[?state == $s && votes > `3`]",
      [
        "issues", "issues[state=\"open\"]",
        "issues[state=\"open\"] membership", "issues[state=\"open\"]/*.votes",
      ]
    ),
    (
      "(issues.*)[?state == 'open']",
      [
        "issues", "issues[state=\"open\"]",
        "issues[state=\"open\"] membership",
      ]
    ),
    ("list[?n == `2`].m", ["list", "list[n=2]", "list[n=2] membership", "list[n=2]/*.m"]),
    (
      "values(issues)[?labels == $.flag]",
      ["issues", "flag", "issues[labels=true]", "issues[labels=true] membership"]
    ),
    // The value depends on the element, is no scalar, or is not compared first: the column is read.
    (
      "values(issues)[?state == id]",
      ["issues", "issues membership", "issues/*.state", "issues/*.id"]
    ),
    ("values(issues)[?missing == `null`]", ["issues", "issues membership", "issues/*.missing"]),
    (
      "values(issues)[?votes > `3` && state == 'open'].id",
      ["issues", "issues membership", "issues/*.votes", "issues/*.state", "issues/*.id"]
    ),
    (
      "values(issues)[?state != 'open'].id",
      ["issues", "issues membership", "issues/*.state", "issues/*.id"]
    ),
    (
      "values(issues)[?state == 'open' || votes > `3`].id",
      ["issues", "issues membership", "issues/*.state", "issues/*.id", "issues/*.votes"]
    ),
  ])
  func `an equality filter asks for the partition first`(
    text: String,
    expected: [String]
  ) throws {
    let variables: JSON.Object = ["s": "open"]
    #expect(try reads(text, variables, partitions: true) == expected, "\(text)")
    // The value is the same either way.
    let query = try PreparedQuery(try Expression(parsing: text), variables: variables)
    let log = RecordingNode.Log()
    log.knowsPartitions = true
    let live = try query.evaluate(.node(RecordingNode(Self.model, log: log), nil)).json
    #expect(try query.evaluate(Value(Self.model)).json == live)
  }

  @Test func `the final value is read once, when it is written`() throws {
    let log = RecordingNode.Log()
    let query = try PreparedQuery(try Expression(parsing: "values(users)"))
    let value = try query.evaluate(.node(RecordingNode(Self.model, log: log), nil))
    #expect(log.reads == ["users", "users membership"])
    var writer = JSONWriter()
    try value.write(to: &writer)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == #"[{"name":"Ada"},{"name":"Bo"}]"#)
    #expect(log.reads == ["users", "users membership", "users/* whole"])
  }
}
