import ObsModel
import ObsWire

/// Answers `$describe`: what may be asked, called and read here (PROTOCOL.md, "Self-description").
@ObsActor
final class DescriptionEvaluator: Evaluator {
  private let operations: OperationTable

  init(_ operations: OperationTable) { self.operations = operations }

  func evaluate() -> Outcome {
    var description: JSON.Object = ["operations": operations.described]
    let language = operations.language
    description["language"] = [
      "name": "jmespath",
      "functions": .array(language.functions.names.map(JSON.string)),
    ]
    description["shape"] = language.shape
    description["examples"] = language.examples
    return .value(JSON.object(description).encoded)
  }

  func end() {}
  var explanation: JSON.Object? { nil }
}

extension Language {
  /// The members of the root, as far as a look at each tells: `{"issues":{"collection":{"state":"string"},"count":7}}`.
  var shape: JSON {
    var members: JSON.Object = [:]
    for member in document?.outline ?? [:] { members[member.key] = member.value }
    for model in catalog.models { members[model.name] = model.shape }
    return .object(members)
  }

  /// Queries that work on what there is now.
  var examples: JSON {
    var examples: [JSON] = []
    for member in document?.outline ?? [:] {
      let name = Language.quoted(member.key)
      guard let fields = member.value["collection"]?.objectValue else { continue }
      examples.append(.string("length(\(name))"))
      if let field = fields.first(where: { $0.value == "string" })?.key {
        examples.append(.string("values(\(name))[*].\(Language.quoted(field)) | sort(@)[:10]"))
      }
      if examples.count >= 6 { break }
    }
    for model in catalog.models.prefix(2) { examples.append(.string(model.name)) }
    return .array(examples)
  }

  /// A name as the language spells it.
  static func quoted(_ name: String) -> String {
    let plain = name.utf8.enumerated().allSatisfy { index, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "_"):
        true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
      default: false
      }
    }
    return plain && !name.isEmpty ? name : JSON.string(name).description
  }
}
