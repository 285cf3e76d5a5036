import ObsWire

extension Document {
  /// Applies one operation of the running commit.
  func apply(_ operation: PatchOperation) throws(CommitError) {
    let path = operation.path
    switch operation.kind {
    case .test(let expected):
      try test(expected, at: path)
    case .add(let value, let ifAbsent):
      let place = try place(path)
      if ifAbsent, holdsMember(place) {
        throw CommitError(.conflict, "`\(path)` is there already", at: path)
      }
      try add(value, at: place, depth: path.tokens.count)
    case .replace(let value):
      try assign(value, at: try existingPlace(path), depth: path.tokens.count)
    case .remove:
      try remove(try existingPlace(path), path)
    case .copy(let from):
      let value = try existing(from).json
      try checkCopy(of: value, at: path)
      try add(value, at: try place(path), depth: path.tokens.count)
    case .move(let from):
      try move(from, to: path)
    }
  }

  private func test(_ expected: JSON, at path: JSONPointer) throws(CommitError) {
    let found: Content
    do throws(CommitError) {
      found = try existing(path)
    } catch {
      throw CommitError(.conflict, "the test failed: \(error.message)", at: path)
    }
    guard !found.equals(expected) else { return }
    throw CommitError(.conflict, "the test failed: `\(path)` has another value", at: path)
  }

  private func move(_ from: JSONPointer, to path: JSONPointer) throws(CommitError) {
    let moved = try existing(from)
    if path == from { return }
    // The whole document becomes a part of itself.
    guard !path.isRoot else { return try assign(moved.json, at: .root, depth: 0) }
    try remove(try place(from), from)
    let target = try place(path)
    if let node = moved.node { try checkDepth(path.tokens.count + node.height) }
    switch target {
    case .member(let object, let key) where object[key] == nil:
      perform(.member(object, key, moved))
    case .element(let list, let index):
      perform(.insert(list, index, moved))
    case .member, .root:
      try assign(moved.json, at: target, depth: path.tokens.count)
    }
  }

  /// What `add` does: elements are inserted, everything else is set.
  private func add(_ value: JSON, at place: Place, depth: Int) throws(CommitError) {
    guard case .element(let list, let index) = place else {
      return try assign(value, at: place, depth: depth)
    }
    perform(.insert(list, index, try make(value, depth: depth)))
  }

  private func remove(_ place: Place, _ path: JSONPointer) throws(CommitError) {
    switch place {
    case .member(let object, let key): perform(.member(object, key, nil))
    case .element(let list, let index): perform(.remove(list, index))
    case .root: throw CommitError(.patchFailed, "the whole document cannot be removed", at: path)
    }
  }

  private func holdsMember(_ place: Place) -> Bool {
    switch place {
    case .root: true
    case .member(let object, let key): object[key] != nil
    // Elements are inserted: none is replaced.
    case .element: false
    }
  }

  private func checkCopy(of value: JSON, at path: JSONPointer) throws(CommitError) {
    let left = (transaction?.copiesLeft ?? .max) - value.size
    guard left >= 0 else {
      throw CommitError(
        .tooLarge,
        "the copies of this patch are too large together",
        at: path,
        limit: "copied-values"
      )
    }
    transaction?.copiesLeft = left
  }
}
