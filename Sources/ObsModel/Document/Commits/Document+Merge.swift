import ObsWire

extension Document {
  /// Applies a merge patch (RFC 7396) to what is at a place, as a part of the running commit.
  func merge(_ patch: JSON, at pointer: JSONPointer) throws(CommitError) {
    let place = try place(pointer)
    if case .element(let list, let index) = place, index == list.elements.count {
      // Says what is wrong with the index.
      _ = try existing(pointer)
    }
    try merge(patch, at: place, depth: pointer.tokens.count)
  }

  private func merge(_ patch: JSON, at place: Place, depth: Int) throws(CommitError) {
    guard case .object(let members) = patch else {
      return try assign(patch, at: place, depth: depth)
    }
    guard let node = content(at: place)?.node as? ObjectNode else {
      return try assign(patch.withoutNulls, at: place, depth: depth)
    }
    for member in members {
      if member.value.isNull {
        if node[member.key] != nil { perform(.member(node, member.key, nil)) }
      } else {
        try merge(member.value, at: .member(node, member.key), depth: depth + 1)
      }
    }
  }
}

extension JSON {
  /// What a merge patch makes of nothing: members that are null are left out; lists stay as they are.
  fileprivate var withoutNulls: JSON {
    guard case .object(let members) = self else { return self }
    return .object(
      JSON.Object(members.lazy.filter { !$0.value.isNull }.map { ($0.key, $0.value.withoutNulls) })
    )
  }
}
