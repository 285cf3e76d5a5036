import ObsWire

extension OperationTable {
  /// A schema for code generators: the built-in fields, and one field for each registered operation.
  ///
  /// It describes carrier documents (PROTOCOL.md 3.2); values are of the scalar `JSON`, since types are not checked.
  var graphQLSchema: String {
    var queries = [
      "\"The value of a query of the language, once.\"\n  query(query: String!, variables: JSON): JSON"
    ]
    var subscriptions = [
      "\"The values of a query of the language.\"\n  watch(query: String!, variables: JSON): JSON"
    ]
    var mutations = [
      "\"A JSON Patch of the document.\"\n  patch(ops: JSON!, ifSeq: Int, key: String): Commit",
      "\"A JSON Merge Patch at a pointer.\"\n  merge(at: String, value: JSON!, ifSeq: Int, key: String): Commit",
    ]
    for operation in sorted {
      let field = "\(operation.name)\(operation.graphQLArguments): JSON"
      switch operation.kind {
      case .query:
        queries.append(field)
        subscriptions.append(field)
      case .stream: subscriptions.append(field)
      case .command: mutations.append(field)
      }
    }
    return """
      # The carrier documents of this server: a transport for its own queries, not GraphQL's.
      # Selection sets under a field are a projection of its value.

      "Any JSON value."
      scalar JSON

      type Commit {
        rev: Int!
        seq: Int!
      }

      type Query {
        \(queries.joined(separator: "\n  "))
      }

      type Subscription {
        \(subscriptions.joined(separator: "\n  "))
      }

      type Mutation {
        \(mutations.joined(separator: "\n  "))
      }

      """
  }
}

extension Operation {
  /// `(limit: Int!, state: String)`; nothing for an operation without arguments.
  fileprivate var graphQLArguments: String {
    guard let members = arguments?.objectValue, !members.isEmpty else { return "" }
    let list = members.map { member -> String in
      let isOptional = member.key.hasSuffix("?")
      let name = isOptional ? String(member.key.dropLast()) : member.key
      return "\(name): \(Operation.graphQLType(member.value))\(isOptional ? "" : "!")"
    }
    return "(\(list.joined(separator: ", ")))"
  }

  private static func graphQLType(_ shape: JSON) -> String {
    switch shape.stringValue {
    case "string": "String"
    case "integer": "Int"
    case "number": "Float"
    case "boolean": "Boolean"
    default: "JSON"
    }
  }
}
