internal import ObsCommandLine
internal import ObsClient
internal import ObsModel
internal import ObsWire

/// Reads a value of any size by queries, in parts where it is larger than a server's limits, and all parts of one moment.
struct DocumentReader {
  /// How often a reading that a commit has disturbed is begun again.
  private static let attempts = 5
  /// How many members or elements are asked for at first.
  private static let part = 256
  /// How many at most: each takes some of the elements that a query may make.
  private static let largestPart = 8192

  private let client: Client
  private let output: Output

  init(_ session: Session) {
    client = session.client
    output = session.output
  }

  /// Reads what is at a place.
  ///
  /// - Throws: ``Complaint`` when nothing is there, when it cannot be read in parts, or when commits come without end.
  func read(_ place: JSONPointer) async throws -> JSON {
    for _ in 1...Self.attempts {
      var reading = Reading(client: client)
      do {
        let value = try await reading.value(Self.expression(place))
        if value.isNull { try await checkPresence(place) }
        return value
      } catch is Reading.Disturbed {
        continue
      } catch let error as ClientError where error.code != .cancelled {
        throw Complaint(error)
      }
    }
    throw Complaint(
      "the document changed while it was read, \(Self.attempts) times\n"
        + "  hint: export a smaller part, or when fewer commits come",
      .unavailable
    )
  }

  /// The expression for a place: `$."issues"."i01"`.
  static func expression(_ place: JSONPointer) -> String {
    place.tokens.reduce("$") { text, token in
      let member = JSON.string(token).description
      // A number may be the key of an object or the place in a list.
      guard let index = Int(token), index >= 0, String(index) == token else {
        return "\(text).\(member)"
      }
      return "(\(text) | (type(@) == 'array' ? @[\(index)] : @.\(member)))"
    }
  }

  /// `null` is what is there, or nothing is.
  private func checkPresence(_ place: JSONPointer) async throws {
    guard let last = place.tokens.last else { return }
    let parent = Self.expression(JSONPointer(tokens: Array(place.tokens.dropLast())))
    let isThere = try await client.value(
      query: """
        let $p = \(parent) in type($p) == 'object' ? contains(keys($p), $last) \
        : type($p) == 'array' ? length($p) > $index : `false`
        """,
      ["last": .string(last), "index": .int(Int64(last) ?? .max)],
      as: Bool.self
    )
    guard !isThere else { return }
    throw Complaint(
      "nothing is at \"\(place)\" [not-found]\n  hint: `obsctl describe` shows what there is",
      .badData
    )
  }

  /// One attempt: all of its answers must be of one place in the log.
  private struct Reading {
    struct Disturbed: Error {}

    let client: Client
    private var seq: Int64??

    init(client: Client) { self.client = client }

    /// The value of an expression, in parts if need be.
    mutating func value(_ expression: String) async throws -> JSON {
      do {
        return try await ask(expression)
      } catch  where error.isTooMuch {
        let type = try await ask("type(\(expression))").stringValue
        switch type {
        case "object": return try await members(of: expression)
        case "array": return try await elements(of: expression)
        default: throw error
        }
      }
    }

    private mutating func members(of expression: String) async throws -> JSON {
      let count = try await count(of: expression)
      var members: [JSON.Object.Member] = []
      var size = DocumentReader.part
      while members.count < count {
        let first = members.count
        do {
          // In a projection `@` is the key.
          let part = try await ask(
            """
            let $m = \(expression) in let $k = keys($m)[\(first):\(first + size)] in \
            from_items($k[*].[@, lookup($m, @)])
            """
          )
          members += Array(part.objectValue ?? [:])
          guard members.count > first else { throw Disturbed() }
          size = min(size * 2, DocumentReader.largestPart)
        } catch  where error.isTooMuch {
          size /= 2
          guard size == 0 else { continue }
          // When not even this can be told, the collection has more members than a query may list.
          let key = try await ask("keys(\(expression))[\(first)]")
          members.append((key.stringValue ?? "", try await value("\(expression).\(key)")))
          size = DocumentReader.part
        }
      }
      return .object(JSON.Object(members))
    }

    private mutating func elements(of expression: String) async throws -> JSON {
      let count = try await count(of: expression)
      var elements: [JSON] = []
      var size = DocumentReader.part
      while elements.count < count {
        let first = elements.count
        do {
          let part = try await ask(
            "let $m = \(expression) in $m[\(first):\(first + size)]"
          )
          elements += part.arrayValue ?? []
          guard elements.count > first else { throw Disturbed() }
          size = min(size * 2, DocumentReader.largestPart)
        } catch  where error.isTooMuch {
          size /= 2
          guard size == 0 else { continue }
          elements.append(try await value("(\(expression))[\(first)]"))
          size = DocumentReader.part
        }
      }
      return .array(elements)
    }

    private mutating func count(of expression: String) async throws -> Int {
      try await ask("length(\(expression))").intValue.map { Int($0) } ?? 0
    }

    private mutating func ask(_ query: String) async throws -> JSON {
      let frame = try await client.frame(query: query, as: JSON.self)
      if let seq, seq != frame.seq { throw Disturbed() }
      seq = .some(frame.seq)
      return frame.value
    }
  }
}

extension Error {
  /// Whether an answer would be larger than the server's limits allow.
  fileprivate var isTooMuch: Bool {
    guard let code = (self as? ClientError)?.code else { return false }
    return code == .resultTooLarge || code == .budgetExceeded
  }
}
