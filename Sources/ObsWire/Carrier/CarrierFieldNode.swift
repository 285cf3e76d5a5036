/// A field as it stands in the text.
struct CarrierFieldNode {
  let key: String
  var name: String
  let start: Int
  var arguments: JSON.Object = [:]
  var selection: [CarrierFieldNode]?

  var isTypeName: Bool { name == "__typename" }

  init(key: String, name: String, start: Int) {
    self.key = key
    self.name = name
    self.start = start
  }
}

extension CarrierParser {
  /// Fields with the same response key are one, if they mean the same.
  func merged(_ nodes: [CarrierFieldNode]) throws(WireError) -> [CarrierFieldNode] {
    var result: [CarrierFieldNode] = []
    var places: [String: Int] = [:]
    for node in nodes {
      guard let place = places[node.key] else {
        places[node.key] = result.count
        result.append(node)
        continue
      }
      let other = result[place]
      guard node.name == other.name, node.arguments == other.arguments,
        (node.selection == nil) == (other.selection == nil)
      else {
        throw failure(
          "`\(node.key)` stands for two different fields",
          at: node.start,
          hint: "give one of them an alias, as in `other: \(node.name)`"
        )
      }
      result[place].selection = other.selection.map { $0 + (node.selection ?? []) }
    }
    for index in result.indices {
      if let selection = result[index].selection {
        result[index].selection = try merged(selection)
      }
    }
    return result
  }

  static func selections(_ nodes: [CarrierFieldNode]) -> [CarrierDocument.Selection] {
    nodes.compactMap { node in
      guard !node.isTypeName else { return nil }
      return CarrierDocument.Selection(
        responseKey: node.key,
        name: node.name,
        selection: node.selection.map(selections)
      )
    }
  }
}
