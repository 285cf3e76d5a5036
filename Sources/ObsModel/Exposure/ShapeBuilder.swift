internal import ObsQuery
public import ObsWire

/// Collects the types that a schema leads to, each once.
@ObsActor
public final class ShapeBuilder {
  private var names: [ObjectIdentifier: String] = [:]
  private var types: [String: JSON] = [:]

  init() {}

  /// The shape of a type and of all that it leads to.
  func shape<Model: Exposed>(of type: Model.Type) -> JSON {
    let name = object(type)
    return ["type": .string(name), "types": .object(JSON.Object(types.map { ($0, $1) }))]
  }

  /// The name of a type with a schema.
  func object<Model: Exposed>(_ type: Model.Type) -> String {
    named(type) {
      let fields = Model.schema.fields.map { field in (field.name, self.field(field)) }
      return ["fields": .object(JSON.Object(fields))]
    }
  }

  private func field<Model>(_ field: Field<Model>) -> JSON {
    var member: JSON.Object = ["type": .string(field.describe(self))]
    if let text = field.text { member["text"] = .string(text) }
    return .object(member)
  }

  /// The name of an enum whose cases can be listed; for any other the type of its raw values.
  @usableFromInline func rawValue<Raw: RawRepresentable>(_ type: Raw.Type) -> String
  where Raw.RawValue: Exposable {
    guard let listed = type as? any CaseIterable.Type else {
      return Raw.RawValue.describe(in: self)
    }
    let cases = Self.cases(of: listed).compactMap { $0 as? Raw }
    return named(type) { ["values": .array(cases.map { $0.rawValue.exposed.json })] }
  }

  private static func cases<Listed: CaseIterable>(of type: Listed.Type) -> [Any] {
    Array(type.allCases)
  }

  /// The name of a type, which is explained the first time; a second type of that name gets a number.
  private func named(_ type: Any.Type, _ explain: () -> JSON) -> String {
    if let known = names[ObjectIdentifier(type)] { return known }
    let plain = String(describing: type)
    var name = plain
    var number = 1
    while types[name] != nil {
      number += 1
      name = plain + String(number)
    }
    names[ObjectIdentifier(type)] = name
    // The name is taken before its fields are looked at, for they may lead back here.
    types[name] = .null
    types[name] = explain()
    return name
  }
}

extension Schema where Model: Exposed {
  /// What clients see of the type, for `$describe`.
  ///
  ///     {"type":"Board","types":{"Board":{"fields":{"items":{"type":"[Item]"}}},
  ///      "Item":{"fields":{"title":{"type":"string","text":"What it says"}}}}}
  ///
  /// Every type that can be reached, with its fields or, for an enum, the `values` of its cases. A field's type is
  /// `string`, `number`, `integer`, `boolean`, `any` or a name of `types`; `[type]` is an array, `{*: type}` a
  /// dictionary, and what may be null has a trailing `?`.
  public var shape: JSON { ShapeBuilder().shape(of: Model.self) }
}
