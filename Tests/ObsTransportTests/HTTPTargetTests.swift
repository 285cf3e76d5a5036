import Testing

@testable import ObsTransport

@Suite(.timeLimit(.minutes(5)))
struct HTTPTargetTests {
  private func target(_ text: String) throws -> HTTPTarget { try HTTPTarget(Array(text.utf8)) }

  private func refusal(_ bytes: [UInt8]) -> String? {
    do throws(HTTPFault) {
      _ = try HTTPTarget(bytes)
      return nil
    } catch {
      return "\(error.status) \(error.text)"
    }
  }

  @Test(
    "A path stays as it was sent, and is decoded beside that and not tidied up",
    arguments: [
      ("/", "/"), ("/data/a%2Fb", "/data/a/b"), ("/data//c/", "/data//c/"),
      ("/data/./../x", "/data/./../x"), ("/a+b&c;d=e", "/a+b&c;d=e"), ("/%7E0%7e1", "/~0~1"),
      ("/%C3%BC", "/ü"), ("/ü", "/ü"), ("/%2525", "/%25"), ("*", "*"),
    ]
  )
  func paths(sent: String, decoded: String) throws {
    let target = try target(sent)
    #expect(target.rawPath == sent)
    #expect(target.path == decoded)
    #expect(target.query == "")
  }

  @Test("A proxy's form of the target is its path and query")
  func absoluteForm() throws {
    #expect(try target("http://example.org/a?b").rawPath == "/a")
    #expect(try target("HTTPS://example.org:1/a?b").query == "b")
    #expect(try target("http://example.org").path == "/")
    #expect(try target("http://example.org?x=1").parameters == [.init(name: "x", value: "1")])
  }

  @Test("Parameters come in order, decoded; only & separates them")
  func parameters() throws {
    let target = try target("/q?a=1&b=x%26y+z%2B&a=&c&&d==;&%65=%3D?/")
    #expect(target.query == "a=1&b=x%26y+z%2B&a=&c&&d==;&%65=%3D?/")
    #expect(
      target.parameters.map { "\($0.name)|\($0.value)" }
        == ["a|1", "b|x&y z+", "a|", "c|", "d|=;", "e|=?/"]
    )
  }

  @Test(
    "Bad percent-encoding is 400 and says where",
    arguments: [
      ("/%", "the path"), ("/a%2", "the path"), ("/%zz", "the path"), ("/%-1", "the path"),
      ("/a?b=%", "the query"), ("/a?%4=1", "the query"), ("/%FF", "the path"),
      ("/a?b=%C3", "the query"),
    ]
  )
  func refusals(sent: String, place: String) throws {
    let text = try #require(refusal(Array(sent.utf8)))
    #expect(text.hasPrefix("400 bad percent-encoding in \(place)"))
  }

  @Test("What is no UTF-8, holds a NUL or has no slash is 400")
  func malformed() {
    #expect(refusal([0x2f, 0xff])?.hasPrefix("400") == true)
    #expect(refusal(Array("/a%00b".utf8))?.hasPrefix("400") == true)
    #expect(refusal(Array("data".utf8))?.hasPrefix("400") == true)
    #expect(refusal([])?.hasPrefix("400") == true)
  }
}
