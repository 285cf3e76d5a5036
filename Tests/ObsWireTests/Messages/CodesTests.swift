import ObsWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CodesTests {
  /// PROTOCOL.md's table of close codes: number, reason, whether a client comes back.
  static let closeCodes: [(UInt16, String, Bool)] = [
    (1000, "", true), (1001, "going away", true), (1003, "text only", false),
    (1007, "invalid utf-8", false), (1009, "message too big", false), (1012, "restart", true),
    (1013, "overloaded", true), (4400, "bad message", false), (4401, "unauthorized", false),
    (4403, "forbidden", true), (4406, "subprotocol", false), (4408, "init timeout", true),
    (4409, "subscriber for ID already exists", false), (4429, "too many init", false),
    (4500, "internal", false),
  ]

  @Test func `close codes are those of the protocol`() {
    #expect(CloseCode.all.map(\.rawValue) == Self.closeCodes.map(\.0))
    for (code, row) in zip(CloseCode.all, Self.closeCodes) {
      #expect(code.defaultReason == row.1)
      #expect(code.retryable == row.2)
      #expect(code.defaultReason.utf8.count <= ProtocolViolation.maximumReasonBytes)
    }
  }

  @Test func `codes of others are retried as stock clients do`() {
    for code: UInt16 in [1005, 1006, 1014, 3000, 3999, 4000, 4410, 4413, 4430, 4499, 4503] {
      #expect(CloseCode(rawValue: code).retryable, "\(code)")
    }
    for code: UInt16 in [1002, 1008, 1010, 1011, 1015, 4004, 4005] {
      #expect(!CloseCode(rawValue: code).retryable, "\(code)")
    }
  }

  @Test func `a reported 1002 with one of our reasons is what we meant`() {
    #expect(CloseCode(reported: 1002, reason: "restart") == .restart)
    #expect(CloseCode(reported: 1002, reason: "slow consumer") == .overloaded)
    #expect(CloseCode(reported: 1002, reason: "overloaded") == .overloaded)
    #expect(CloseCode(reported: 1002, reason: "other").rawValue == 1002)
    #expect(CloseCode(reported: 4400, reason: "restart") == .badMessage)
  }

  @Test func `error codes are those of the protocol, each once`() {
    #expect(
      ErrorCode.all.map(\.rawValue).sorted() == [
        "bad-variables", "behind", "budget-exceeded", "busy", "conflict", "forbidden", "internal",
        "introspection-not-supported", "invalid-arity", "invalid-type", "invalid-value",
        "key-reused",
        "not-a-number", "not-found", "number-range", "overflow", "overloaded", "patch-failed",
        "rate-limited", "read-only", "result-too-large", "syntax", "too-complex", "too-large",
        "too-many-subscriptions", "unauthenticated", "unavailable", "undefined-variable",
        "unknown-function", "unknown-operation",
      ]
    )
  }

  @Test func `an error says whether a retry may help`() {
    #expect(WireError(.busy, "").retryable)
    #expect(!WireError(.conflict, "").retryable)
    #expect(WireError(.conflict, "", extensions: ["retryable": true]).retryable)
    #expect(!WireError(.busy, "", extensions: ["retryable": false]).retryable)
  }

  @Test func `a reason is cut between characters to 123 bytes`() {
    func reason(_ text: String) -> String { ProtocolViolation(.badMessage, reason: text).reason }
    let full = String(repeating: "x", count: 123)
    #expect(reason(full) == full)
    #expect(reason(full + "x") == full)
    #expect(reason(String(repeating: "é", count: 100)) == String(repeating: "é", count: 61))
    #expect(reason(String(repeating: "👨‍👩‍👧", count: 30)) == String(repeating: "👨‍👩‍👧", count: 6))
    // A single character of any length: nothing fits.
    #expect(reason("e" + String(repeating: "\u{301}", count: 200)) == "")
    #expect(ProtocolViolation(.tooManyInit).reason == "too many init")
  }
}
