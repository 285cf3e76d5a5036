extension CarrierDocument {
  /// Reduces a value to what a selection set names.
  ///
  /// Objects keep the selected members under their response keys, and a member that is not there is `null`, since
  /// generated clients insist on it. Lists are mapped, to any depth; other values stay.
  ///
  /// - Parameters:
  ///   - value: what an operation has answered.
  ///   - selection: what to keep; nil keeps all.
  /// - Returns: the reduced value.
  public static func project(_ value: JSON, through selection: [Selection]?) -> JSON {
    guard let selection else { return value }
    switch value {
    case .array(let elements):
      return .array(elements.map { project($0, through: selection) })
    case .object(let object):
      let members = selection.map { selected -> JSON.Object.Member in
        let member = object[selected.name] ?? .null
        return (selected.responseKey, project(member, through: selected.selection))
      }
      return .object(JSON.Object(unsorted: members))
    case .null, .bool, .int, .double, .string:
      return value
    }
  }

  /// The same bytes for documents that mean the same: what equal subscriptions are shared by.
  ///
  /// Layout, comments, the operation's name, the order of members, and whether a value came as a literal or in a variable
  /// do not matter; neither does the keyword, except for a root `__typename` and that the order of a mutation's fields
  /// counts.
  public var canonical: [UInt8] {
    var forms = fields.map { field -> (key: String, form: JSON) in
      let arguments: JSON = field.isTypeName ? .string(kind.typeName) : .object(field.arguments)
      let form: [JSON] = [
        .string(field.responseKey), .string(field.name), arguments, Self.form(field.selection),
      ]
      return (field.responseKey, .array(form))
    }
    if kind != .mutation { forms.sort { UTF8Order.precedes($0.key, $1.key) } }
    return Canonical.bytes(.array(forms.map(\.form)))
  }

  /// `{"response key":["name",selection]}`, or null.
  private static func form(_ selection: [Selection]?) -> JSON {
    guard let selection else { return .null }
    let members = selection.map { selected -> JSON.Object.Member in
      (selected.responseKey, [.string(selected.name), form(selected.selection)])
    }
    return .object(JSON.Object(unsorted: members))
  }
}
