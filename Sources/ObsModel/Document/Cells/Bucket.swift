import ObsWire

/// The members of a collection that have one value of an indexed field, in the byte order of their keys.
///
/// A field whose values are all different has a bucket for each record: one member is held without a container.
enum Bucket {
  case one(String, Content)
  case many(KeyedBlocks)

  var count: Int {
    switch self {
    case .one: 1
    case .many(let members): members.count
    }
  }

  /// The member of a key.
  subscript(key: String) -> Content? {
    switch self {
    case .one(let only, let content): ByteKey(only) == ByteKey(key) ? content : nil
    case .many(let members): members[key]
    }
  }

  /// The bucket with a member more, or with another content of a member that it has.
  func putting(_ key: String, _ content: Content) -> Bucket {
    switch self {
    case .one(let only, _) where ByteKey(only) == ByteKey(key): return .one(key, content)
    case .one(let only, let old):
      let members = KeyedBlocks()
      members.append(only, old)
      members.append(key, content)
      return .many(members)
    case .many(let members):
      members.append(key, content)
      return self
    }
  }

  /// The bucket without a member; nil if no other is left.
  func removing(_ key: String) -> Bucket? {
    switch self {
    case .one(let only, _): return ByteKey(only) == ByteKey(key) ? nil : self
    case .many(let members):
      _ = members.set(key, nil)
      return members.count == 0 ? nil : self
    }
  }

  /// Walks over the members in byte order until `body` says false.
  func forEach<Failure: Error>(
    _ body: (String, Content) throws(Failure) -> Bool
  ) throws(Failure) {
    switch self {
    case .one(let key, let content): _ = try body(key, content)
    case .many(let members): try members.forEach(body)
    }
  }
}
