internal import ObsCommandLine
internal import ObsWire

extension Output {
  /// Writes one JSON value, on one line or over several.
  func show(_ value: JSON, as format: Format) throws(ReaderGone) {
    try line(format == .pretty ? value.pretty() : value.description)
  }
}

extension JSON {
  /// JSON over several lines, two spaces a level, empty arrays and objects on one.
  func pretty(indent: String = "") -> String {
    let inner = indent + "  "
    switch self {
    case .array(let items) where !items.isEmpty:
      let lines = items.map { inner + $0.pretty(indent: inner) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(indent)]"
    case .object(let members) where !members.isEmpty:
      let lines = members.map { key, value in
        "\(inner)\(JSON.string(key)): \(value.pretty(indent: inner))"
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    default: return description
    }
  }
}
