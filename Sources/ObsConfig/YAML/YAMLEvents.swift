internal import CYAML

/// One step through a YAML text, as libyaml sees it.
struct YAMLEvent: Equatable {
  enum Kind: Equatable {
    case documentStart(hasDirectives: Bool)
    case alias
    case scalar(String, isPlain: Bool)
    case sequenceStart
    case sequenceEnd
    case mappingStart
    case mappingEnd
  }

  var kind: Kind
  var place: YAMLPlace
  var anchor: String?
  var tag: String?
}

/// Where in a YAML text, both counted from 1; columns are code points.
struct YAMLPlace: Equatable {
  var line: Int
  var column: Int
}

/// What is wrong in a YAML text, and where.
struct YAMLProblem: Error, Equatable {
  var place: YAMLPlace
  var message: String
}

/// Runs libyaml over a text and copies its events; the only file that touches libyaml.
enum YAMLEvents {
  /// The largest text that is accepted, in bytes.
  static let maximumBytes = 256 * 1024
  /// The deepest nesting of mappings and sequences that is accepted.
  static let maximumDepth = 16

  /// Reads a text in UTF-8.
  ///
  /// - Parameter bytes: the text.
  /// - Returns: its events, without those of the stream and of document ends.
  /// - Throws: the first place where it is not YAML, or is too large or too deep.
  static func read(_ bytes: [UInt8]) throws(YAMLProblem) -> [YAMLEvent] {
    guard bytes.count <= maximumBytes else {
      throw YAMLProblem(
        place: YAMLPlace(line: 1, column: 1),
        message: "the file has \(bytes.count) bytes; at most \(maximumBytes) are read"
      )
    }
    let result = unsafe bytes.withUnsafeBufferPointer { unsafe run(over: $0) }
    return try result.get()
  }

  private static func run(
    over bytes: UnsafeBufferPointer<UInt8>
  ) -> Result<[YAMLEvent], YAMLProblem> {
    // libyaml keeps a pointer to the parser in the parser: it must not move.
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    defer { unsafe parser.deallocate() }
    guard unsafe yaml_parser_initialize(parser) == 1 else {
      return .failure(
        YAMLProblem(place: YAMLPlace(line: 1, column: 1), message: "no memory to read the file")
      )
    }
    defer { unsafe yaml_parser_delete(parser) }
    unsafe yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    // Fixed, so that a text in UTF-16 is refused instead of guessed.
    unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)

    var events: [YAMLEvent] = []
    var depth = 0
    while true {
      var event = unsafe yaml_event_t()
      guard unsafe yaml_parser_parse(parser, &event) == 1 else {
        return unsafe .failure(problem(of: parser, in: bytes))
      }
      defer { unsafe yaml_event_delete(&event) }
      if unsafe event.type == YAML_STREAM_END_EVENT { return .success(events) }
      guard let copied = unsafe copy(event) else { continue }
      switch copied.kind {
      case .mappingStart, .sequenceStart: depth += 1
      case .mappingEnd, .sequenceEnd: depth -= 1
      default: break
      }
      guard depth <= maximumDepth else {
        return .failure(
          YAMLProblem(place: copied.place, message: "nested deeper than \(maximumDepth)")
        )
      }
      events.append(copied)
    }
  }

  private static func copy(_ event: yaml_event_t) -> YAMLEvent? {
    var copied = unsafe YAMLEvent(kind: .alias, place: place(event.start_mark))
    switch unsafe event.type {
    case YAML_DOCUMENT_START_EVENT:
      let start = unsafe event.data.document_start
      let hasTags = unsafe start.tag_directives.start != start.tag_directives.end
      copied.kind = unsafe .documentStart(
        hasDirectives: start.version_directive != nil || hasTags
      )
    case YAML_ALIAS_EVENT: copied.anchor = unsafe text(event.data.alias.anchor)
    case YAML_SCALAR_EVENT:
      let scalar = unsafe event.data.scalar
      let value = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      copied.kind = unsafe .scalar(
        String(decoding: value, as: UTF8.self),
        isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE
      )
      copied.anchor = unsafe text(scalar.anchor)
      copied.tag = unsafe text(scalar.tag)
    case YAML_SEQUENCE_START_EVENT:
      copied.kind = .sequenceStart
      copied.anchor = unsafe text(event.data.sequence_start.anchor)
      copied.tag = unsafe text(event.data.sequence_start.tag)
    case YAML_SEQUENCE_END_EVENT: copied.kind = .sequenceEnd
    case YAML_MAPPING_START_EVENT:
      copied.kind = .mappingStart
      copied.anchor = unsafe text(event.data.mapping_start.anchor)
      copied.tag = unsafe text(event.data.mapping_start.tag)
    case YAML_MAPPING_END_EVENT: copied.kind = .mappingEnd
    default: return nil
    }
    return copied
  }

  private static func text(_ bytes: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    guard let bytes = unsafe bytes else { return nil }
    return unsafe String(cString: bytes)
  }

  private static func place(_ mark: yaml_mark_t) -> YAMLPlace {
    YAMLPlace(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }

  private static func problem(
    of parser: UnsafeMutablePointer<yaml_parser_t>,
    in bytes: UnsafeBufferPointer<UInt8>
  ) -> YAMLProblem {
    var message = "not YAML"
    if let problem = unsafe parser.pointee.problem {
      message = unsafe String(cString: problem)
    }
    // Where bytes are not text at all, libyaml tells an offset and no place.
    if unsafe parser.pointee.error == YAML_READER_ERROR {
      let before = unsafe Array(bytes.prefix(parser.pointee.problem_offset))
      let line = before.count { $0 == UInt8(ascii: "\n") } + 1
      let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      let column = before[start...].count { $0 & 0b1100_0000 != 0b1000_0000 } + 1
      return YAMLProblem(place: YAMLPlace(line: line, column: column), message: message)
    }
    let place = unsafe place(parser.pointee.problem_mark)
    return YAMLProblem(place: place, message: message + advice(on: message))
  }

  /// What to do about the mistakes that are made most.
  private static func advice(on message: String) -> String {
    switch message {
    case "found character that cannot start any token":
      "; indent with spaces, not tabs, and put text that begins with @, ` or % in quotes"
    case "mapping values are not allowed in this context":
      "; put text that contains `: ` in quotes, and check the indentation of this line"
    case "could not find expected ':'": "; a line is `key: value`, with a space behind the colon"
    case "did not find expected key": "; keys of one group begin in the same column"
    default: ""
    }
  }
}
