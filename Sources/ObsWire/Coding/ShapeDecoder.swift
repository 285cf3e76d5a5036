import FoundationEssentials

/// Gives samples to a `Decodable` type and notes what it asks for.
struct ShapeDecoder: Decoder {
  /// What one attempt answers; a type that refuses the first sample may take a later one.
  struct Sample {
    let text: String
    let number: Int64
    var listsAreEmpty = false

    static let first = Sample(text: "", number: 0)
    static let others = [
      Sample(text: "0", number: 1, listsAreEmpty: true),
      Sample(text: "a", number: 2, listsAreEmpty: true),
      Sample(text: "UTC", number: 16, listsAreEmpty: true),
      Sample(text: "2000-01-01T00:00:00Z", number: 1000, listsAreEmpty: true),
      Sample(text: "00000000-0000-0000-0000-000000000000", number: -1, listsAreEmpty: true),
    ]
  }

  /// Guards against types without end: generic ones that nest ever new types, and wide ones.
  final class Budget {
    private var reads = 10_000
    var isSpent: Bool { reads <= 0 }

    func spend() throws {
      guard !isSpent else { throw ShapeProblem.tooLarge }
      reads -= 1
    }
  }

  enum ShapeProblem: Error { case tooLarge, recursive, pastEnd }

  private static let maximumDepth = 24

  let note: ShapeNote
  var sample = Sample.first
  private let budget: Budget
  private let depth: Int
  /// The types around this place, with their notes: to find a type that contains itself.
  private let enclosing: [(type: ObjectIdentifier, note: ShapeNote)]

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(note: ShapeNote) {
    self.note = note
    budget = Budget()
    depth = 0
    enclosing = []
  }

  private init(_ parent: ShapeDecoder, note: ShapeNote, entering type: ObjectIdentifier?) {
    self.note = note
    sample = parent.sample
    budget = parent.budget
    depth = parent.depth + 1
    enclosing = parent.enclosing + (type.map { [($0, note)] } ?? [])
  }

  var isSpent: Bool { budget.isSpent }

  /// The decoder of a part.
  func at(_ note: ShapeNote) -> ShapeDecoder { ShapeDecoder(self, note: note, entering: nil) }

  /// Notes how a type reads this place, and makes a value of it.
  func value<T: Decodable>(_ type: T.Type) throws -> T {
    try budget.spend()
    if let (name, json) = known(type) {
      note.name(name)
      return try TreeDecoder.value(type, from: json, at: .root)
    }
    if let compound = type as? any CompoundShape.Type, depth < Self.maximumDepth {
      if let value = compound.init(noting: self) as? T { return value }
    }
    if let around = enclosing.last(where: { $0.type == ObjectIdentifier(type) }) {
      note.name(around.note === note ? "any" : around.note.outline)
      throw ShapeProblem.recursive
    }
    guard depth < Self.maximumDepth else { throw ShapeProblem.tooLarge }

    var inner = ShapeDecoder(self, note: note, entering: ObjectIdentifier(type))
    do {
      return try T(from: inner)
    } catch {
      if let value = Self.anyCase(of: type) { return value }
      // Within a later attempt the outermost type alone tries on, or the attempts would multiply.
      guard !sample.listsAreEmpty else { throw error }
      for sample in Sample.others {
        inner.sample = sample
        if let value = try? T(from: inner) { return value }
      }
      throw error
    }
  }

  /// The types whose JSON form this library chooses, with a sample of it.
  private func known(_ type: Any.Type) -> (name: String, json: JSON)? {
    switch type {
    case is any DirectlyCodedInteger.Type:
      // -1 is no sample for an unsigned one, and 1000 none for a byte; 1 is for all.
      let fits = (1...16).contains(sample.number) || sample.number == 0
      return ("integer", .int(fits ? sample.number : 1))
    case is Double.Type, is Float.Type: return ("number", .int(sample.number))
    case is Bool.Type: return ("boolean", false)
    case is String.Type: return ("string", .string(sample.text))
    case is JSON.Type: return ("any", .null)
    case is JSON.Object.Type: return ("object", [:])
    case is Date.Type: return ("string", "2000-01-01T00:00:00Z")
    case is Data.Type: return ("string", "")
    case is URL.Type: return ("string", "http://localhost/")
    case is UUID.Type: return ("string", "00000000-0000-0000-0000-000000000000")
    case is Decimal.Type: return ("string", "0")
    default: return nil
    }
  }

  /// A value of a type that lists its values, such as most enums.
  private static func anyCase<T>(of type: T.Type) -> T? {
    func first<C: CaseIterable>(_ type: C.Type) -> C? { type.allCases.first }
    guard let type = type as? any CaseIterable.Type else { return nil }
    return first(type) as? T
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try budget.spend()
    note.beginMembers()
    return KeyedDecodingContainer(KeyedShapeReader<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try budget.spend()
    note.beginList()
    return UnkeyedShapeReader(decoder: self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    try budget.spend()
    return SingleValueShapeReader(decoder: self)
  }
}

/// A type around another one, of which there is a value also when there is none of the other.
protocol CompoundShape { init(noting decoder: ShapeDecoder) }

extension Optional: CompoundShape where Wrapped: Decodable {
  init(noting decoder: ShapeDecoder) {
    decoder.note.isOptional = true
    _ = try? decoder.at(decoder.note).value(Wrapped.self)
    self = nil
  }
}

extension Array: CompoundShape where Element: Decodable {
  init(noting decoder: ShapeDecoder) {
    decoder.note.beginList()
    let element = try? decoder.at(decoder.note.element(0)).value(Element.self)
    self = decoder.sample.listsAreEmpty ? [] : element.map { [$0] } ?? []
  }
}

extension Dictionary: CompoundShape where Key: Decodable, Value: Decodable {
  init(noting decoder: ShapeDecoder) {
    decoder.note.beginMembers()
    _ = try? decoder.at(decoder.note.member("*")).value(Value.self)
    self = [:]
  }
}

/// Members: every one that is asked for is there.
private struct KeyedShapeReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ShapeDecoder

  var codingPath: [any CodingKey] { [] }
  /// None, since nobody can say which keys a type would take.
  var allKeys: [Key] { [] }

  /// Whoever asks can do without.
  func contains(_ key: Key) -> Bool {
    note(key).isOptional = true
    return true
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    note(key).isOptional = true
    return false
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try decoder.at(note(key)).value(type)
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try decode(T?.self, forKey: key)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder.at(note(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder.at(note(key)).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { decoder.at(decoder.note.member("super")) }

  func superDecoder(forKey key: Key) throws -> any Decoder { decoder.at(note(key)) }

  private func note(_ key: Key) -> ShapeNote { decoder.note.member(key.stringValue) }
}

/// A list of one element, or of as many as a type insists on.
private struct UnkeyedShapeReader: UnkeyedDecodingContainer {
  let decoder: ShapeDecoder
  private(set) var currentIndex = 0

  init(decoder: ShapeDecoder) { self.decoder = decoder }

  var codingPath: [any CodingKey] { [] }
  var count: Int? { nil }
  var isAtEnd: Bool { currentIndex > 0 || decoder.sample.listsAreEmpty || decoder.isSpent }

  mutating func decodeNil() throws -> Bool { false }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().value(type) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try next() }

  /// Moves on also where reading then fails, so that no loop of a type stays at one place.
  private mutating func next() throws -> ShapeDecoder {
    guard currentIndex < 32 else { throw ShapeDecoder.ShapeProblem.pastEnd }
    defer { currentIndex += 1 }
    return decoder.at(decoder.note.element(currentIndex))
  }
}

private struct SingleValueShapeReader: SingleValueDecodingContainer {
  let decoder: ShapeDecoder

  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool {
    decoder.note.isOptional = true
    return false
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.at(decoder.note).value(type) }
}
