import ObsWire

// Types of the kinds that users write.

enum State: String, Codable, CaseIterable, Hashable { case open, closed }

enum Priority: Int, Codable, Hashable { case low = 1, high = 2 }

/// Encodes as text without being `CodingKeyRepresentable`.
struct UserID: Codable, Hashable {
  var name: String
  init(_ name: String) { self.name = name }
  init(from decoder: any Decoder) throws {
    name = try decoder.singleValueContainer().decode(String.self)
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

enum Field: String, Codable, CodingKeyRepresentable { case title, state }

enum Shape: Codable, Hashable {
  case circle(radius: Double)
  case rectangle(Int, Int)
  case nothing
}

struct Point: Codable, Hashable {
  var x: Int
  var y: Int
}

struct Ticket: Codable, Hashable {
  var id: Int
  var title: String?
  var state: State
  var shape: Shape
  var points: [Point]
  var counts: [State: Int]
  var tags: Set<String>
  var extra: JSON
}

/// Writes its members by hand into nested containers.
struct Nested: Codable, Hashable {
  var a: Int
  var list: [String]
  var inner: [[Bool]]

  enum Keys: String, CodingKey { case outer, list, inner }
  enum InnerKeys: String, CodingKey { case a }

  init(a: Int, list: [String], inner: [[Bool]]) {
    self.a = a
    self.list = list
    self.inner = inner
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    a = try container.nestedContainer(keyedBy: InnerKeys.self, forKey: .outer)
      .decode(Int.self, forKey: .a)
    var list = try container.nestedUnkeyedContainer(forKey: .list)
    self.list = []
    while !list.isAtEnd { self.list.append(try list.decode(String.self)) }
    var inner = try container.nestedUnkeyedContainer(forKey: .inner)
    self.inner = []
    while !inner.isAtEnd {
      var row = try inner.nestedUnkeyedContainer()
      var values: [Bool] = []
      while !row.isAtEnd { values.append(try row.decode(Bool.self)) }
      self.inner.append(values)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    var outer = container.nestedContainer(keyedBy: InnerKeys.self, forKey: .outer)
    var list = container.nestedUnkeyedContainer(forKey: .list)
    for text in self.list { try list.encode(text) }
    var inner = container.nestedUnkeyedContainer(forKey: .inner)
    for row in self.inner {
      var nested = inner.nestedUnkeyedContainer()
      for value in row { try nested.encode(value) }
    }
    try outer.encode(a, forKey: .a)
  }
}

class Animal: Codable {
  var name: String
  init(name: String) { self.name = name }
}

final class Dog: Animal {
  var tricks: Int

  private enum Keys: String, CodingKey { case tricks }

  init(name: String, tricks: Int) {
    self.tricks = tricks
    super.init(name: name)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    tricks = try container.decode(Int.self, forKey: .tricks)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(tricks, forKey: .tricks)
    try super.encode(to: container.superEncoder())
  }
}

struct Tree: Codable, Hashable {
  var value: Int
  var children: [Tree]
}
