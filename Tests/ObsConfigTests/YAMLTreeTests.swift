import Testing

@testable import ObsConfig

@Suite(.timeLimit(.minutes(5)))
struct YAMLTreeTests {
  private func problems(_ text: String) -> [String] {
    YAMLTree(Array(text.utf8)).problems.map { "\($0.place.line):\($0.place.column): \($0.message)" }
  }

  @Test func `mappings, lists and texts come with their places`() throws {
    let tree = YAMLTree(Array("a:\n  b: 1 # one\n  c: ['ü', x]\n".utf8))
    #expect(tree.problems == [])
    guard case .mapping(let members) = tree.root?.value,
      case .mapping(let inner) = members[0].node.value
    else {
      Issue.record("\(String(describing: tree.root))")
      return
    }
    #expect(inner.map(\.key) == ["b", "c"])
    #expect(inner[0].place == YAMLPlace(line: 2, column: 3))
    #expect(inner[0].node.value == .scalar("1", isPlain: true))
    #expect(
      inner[1].node.value
        == .sequence([
          YAMLNode(value: .scalar("ü", isPlain: false), place: YAMLPlace(line: 3, column: 7)),
          YAMLNode(value: .scalar("x", isPlain: true), place: YAMLPlace(line: 3, column: 12)),
        ])
    )
  }

  @Test(arguments: ["", "\n\n", "# only a comment\n", "---\n", "~", "---\n...\n"])
  func `an empty text is no document and no mistake`(text: String) {
    let tree = YAMLTree(Array(text.utf8))
    #expect(tree.root == nil)
    #expect(tree.problems == [])
  }

  @Test(arguments: [
    ("a: &x 1", "1:4: anchors such as &x are not accepted"),
    ("a: *x", "1:4: aliases such as *x are not accepted"),
    ("a: !!int 1", "1:4: tags are not accepted, but here is !!int"),
    ("a: !mine 1", "1:4: tags are not accepted, but here is !mine"),
    ("a: !!map {}", "1:4: tags are not accepted, but here is !!map"),
    ("a: ! x", "1:4: tags are not accepted, but here is !"),
    ("<<: {a: 1}", "1:1: merge keys (<<) are not accepted"),
    ("a: 1\nb: 2\na: 3", "3:1: `a` stands here a second time; first in line 1"),
    ("a: 1\n---\nb: 2", "2:1: a second document begins here; a configuration is one document"),
    ("%YAML 1.1\n---\na: 1", "1:1: directives such as %YAML are not accepted"),
    ("%TAG ! !x\n---\na: 1", "1:1: directives such as %YAML are not accepted"),
    ("? [a]\n: 1", "1:3: a key must be text"),
    ("{a: 1}: 2", "1:1: a key must be text"),
  ])
  func `what configuration does not need is refused with its place`(text: String, problem: String) {
    #expect(problems(text) == [problem])
  }

  @Test func `a quoted << is a key like any other`() {
    #expect(problems("'<<': 1") == [])
  }

  @Test(arguments: [
    ("a: b: c", "1:5: mapping values are not allowed"),
    ("a:\n\tb: c", "2:1: found character that cannot start any token; indent with spaces"),
    ("a: [1", "2:1: "),
    ("a: 'x", "1:"),
    ("a: 1\n b: 2", "2:3: mapping values are not allowed"),
    ("a: @x", "1:4: found character that cannot start any token"),
    ("a: 1\nb", "3:1: could not find expected ':'"),
  ])
  func `what is not YAML is told with its place and what to do`(text: String, beginning: String) {
    let found = problems(text)
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix(beginning) == true, "\(found)")
  }

  @Test(arguments: [
    (Array("ab: x\nc: é".utf8) + [0xC3, 0x28], 2, 6), ([0xFF, 0xFE, 0x61, 0], 1, 1),
    (Array("a: \u{0}".utf8), 1, 4),
  ])
  func `bytes that are no text are told with their place`(bytes: [UInt8], line: Int, column: Int) {
    let problems = YAMLTree(bytes).problems
    #expect(problems.map(\.place) == [YAMLPlace(line: line, column: column)])
  }

  @Test func `nesting is refused one level past the limit`() {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(problems(nested(YAMLEvents.maximumDepth)) == [])
    #expect(problems(nested(YAMLEvents.maximumDepth + 1)) == ["1:17: nested deeper than 16"])
    // Found while it is read: the rest costs nothing.
    #expect(problems(String(repeating: "[", count: 200_000)) == ["1:17: nested deeper than 16"])
  }

  @Test func `a text past the size limit is refused unread`() {
    let fits = "a: 1\n" + String(repeating: "#", count: YAMLEvents.maximumBytes - 5)
    #expect(problems(fits) == [])
    #expect(problems(fits + "#").first?.contains("at most 262144") == true)
  }

  @Test func `all mistakes are told, in the order of the text`() {
    let text = "a: &x 1\nb: *x\na: 2\nc: !!str 3\n<<: {}\n"
    #expect(problems(text).map { $0.prefix(2) } == ["1:", "2:", "3:", "4:", "5:"])
  }
}
