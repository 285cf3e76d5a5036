import ObsModel
import ObsQuery
import ObsWire

extension Document {
  /// How many members of a collection are looked at.
  private static var sample: Int { 20 }

  /// The members of the root in short: `{"issues":{"count":7,"collection":{"state":"string","title":"string"}}}`.
  ///
  /// Objects whose members are all objects count as collections; their fields are those of the first records.
  var outline: JSON.Object {
    guard case .node(let root, _) = root, root.form == .object else { return [:] }
    var outline: JSON.Object = [:]
    try? root.forEachMember(nil) { (key: String, value: Value) throws(QueryError) -> Bool in
      outline[key] = Document.shape(of: value)
      return outline.count < 200
    }
    return outline
  }

  private static func shape(of value: Value) -> JSON {
    guard case .node(let node, _) = value else { return .string(value.typeName) }
    var shape: JSON.Object = ["count": .int(Int64(node.count(nil)))]
    var fields: JSON.Object = [:]
    var seen = 0
    var isCollection = true
    try? node.forEachMember(nil) { (_: String, member: Value) throws(QueryError) -> Bool in
      guard case .node(let record, _) = member, record.form == .object else {
        isCollection = false
        return false
      }
      try record.forEachMember(nil) { (name: String, value: Value) throws(QueryError) -> Bool in
        let known = fields[name]?.stringValue
        if known == nil || known == "null" { fields[name] = .string(value.typeName) }
        return fields.count < 100
      }
      seen += 1
      return seen < sample
    }
    if node.form == .array { shape["array"] = true }
    if isCollection, seen > 0 {
      shape[node.form == .array ? "elements" : "collection"] = .object(fields)
    }
    return .object(shape)
  }
}

extension Value {
  /// The type as `type()` of the language says it.
  var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "boolean"
    case .int, .double: "number"
    case .string: "string"
    case .node(let node, _): node.form == .array ? "array" : "object"
    default: json.arrayValue == nil ? "object" : "array"
    }
  }
}
