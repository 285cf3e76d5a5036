import ObsWire

extension Document {
  /// Makes the value at a place equal to a JSON value, by the fewest edits.
  ///
  /// A container takes the place of one of the same kind member by member: what stays equal wakes nobody, and a query
  /// that reads one field is not woken by a record that is replaced with another value in another field.
  func assign(_ json: JSON, at place: Place, depth: Int) throws(CommitError) {
    switch (content(at: place)?.node, json) {
    case (let node as ObjectNode, .object(let object)):
      try update(node, to: object, depth: depth)
    case (let list as ListNode, .array(let elements)):
      try update(list, to: elements, depth: depth)
    default:
      let made = try make(json, depth: depth)
      switch place {
      case .root: perform(.root(made))
      case .member(let object, let key): perform(.member(object, key, made))
      case .element(let list, let index) where index == list.elements.count:
        perform(.insert(list, index, made))
      case .element(let list, let index): perform(.element(list, index, made))
      }
    }
  }

  private func update(
    _ node: ObjectNode,
    to object: JSON.Object,
    depth: Int
  ) throws(CommitError) {
    try checkDepth(depth)
    var gone: [String] = []
    var index = 0
    // Both are in byte order.
    node.forEach { key, _ in
      while index < object.count, UTF8Order.precedes(object[index].key, key) { index += 1 }
      if index == object.count || !UTF8Order.equal(object[index].key, key) { gone.append(key) }
      return true
    }
    for key in gone { perform(.member(node, key, nil)) }
    for member in object {
      try assign(member.value, at: .member(node, member.key), depth: depth + 1)
    }
  }

  private func update(_ list: ListNode, to elements: [JSON], depth: Int) throws(CommitError) {
    try checkDepth(depth)
    while list.elements.count > elements.count { perform(.remove(list, list.elements.count - 1)) }
    for index in elements.indices {
      try assign(elements[index], at: .element(list, index), depth: depth + 1)
    }
  }

  /// What is at a place now.
  func content(at place: Place) -> Content? {
    switch place {
    case .root: content
    case .member(let object, let key): object[key]
    case .element(let list, let index): index < list.elements.count ? list.elements[index] : nil
    }
  }

  /// Makes content for a place, within the running commit's limits.
  func make(_ json: JSON, depth: Int) throws(CommitError) -> Content {
    try context.make(json, depth: depth, limit: transaction?.depth ?? Document.maximumDepth)
  }

  /// Refuses a container that would stand too deep.
  func checkDepth(_ depth: Int) throws(CommitError) {
    try Document.check(depth: depth, limit: transaction?.depth ?? Document.maximumDepth)
  }
}
