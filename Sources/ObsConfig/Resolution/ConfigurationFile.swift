internal import Foundation
internal import ObsCommandLine

/// A configuration file, held against the table of settings.
struct ConfigurationFile {
  /// A setting's value as the file says it.
  struct Entry {
    var setting: Setting
    var value: SettingValue
    var source: Source
  }

  /// What is set, in the order of the file.
  private(set) var entries: [Entry] = []
  /// All that is wrong, in the order of the file.
  private(set) var problems: [ConfigurationProblem] = []
  private let name: String

  /// Reads a file; one that cannot be read is one problem.
  init(path: String) {
    do {
      self.init([UInt8](try Data(contentsOf: URL(filePath: path))), name: path)
    } catch {
      self.init([], name: path)
      problems = [
        ConfigurationProblem(
          source: .wholeFile(path),
          message: "cannot be read: \(FileProblem.reason(error)); "
            + "--config or $OBS_CONFIG names the configuration file"
        )
      ]
    }
  }

  /// Reads a text in UTF-8 that stands in a file of that name.
  init(_ bytes: [UInt8], name: String) {
    self.name = name
    let tree = YAMLTree(bytes)
    for problem in tree.problems { complain(problem.message, at: problem.place) }
    guard let root = tree.root else { return }
    if case .mapping(let members) = root.value {
      for member in members { read(member) }
    } else if root.value != .refused {
      complain(
        "a configuration is lines of `key: value`, but this is \(Self.kind(of: root))",
        at: root.place
      )
    }
    problems.sort { $0.position < $1.position }
  }

  private mutating func complain(_ message: String, at place: YAMLPlace) {
    problems.append(ConfigurationProblem(source: source(place), message: message))
  }

  private func source(_ place: YAMLPlace) -> Source {
    .file(name, line: place.line, column: place.column)
  }

  // MARK: Keys

  private mutating func read(_ member: YAMLMember) {
    if let setting = Settings.setting(member.key), setting.group == nil {
      return read(member.node, as: setting)
    }
    guard Settings.all.contains(where: { $0.group == member.key }) else {
      return complain(Self.unknown(member.key, in: nil), at: member.place)
    }
    switch member.node.value {
    case .mapping(let members):
      for inner in members {
        if let setting = Settings.setting("\(member.key).\(inner.key)") {
          read(inner.node, as: setting)
        } else {
          complain(Self.unknown(inner.key, in: member.key), at: inner.place)
        }
      }
    // A group whose lines are all comments.
    case _ where member.node.isNull: break
    case .refused: break
    default:
      complain(
        "`\(member.key)` is a group: its settings stand below it, indented, but here is "
          + Self.kind(of: member.node),
        at: member.node.place
      )
    }
  }

  private static func unknown(_ name: String, in group: String?) -> String {
    let full = group.map { "\($0).\(name)" } ?? name
    let groups = Set(Settings.all.compactMap(\.group)).sorted()
    let siblings = Settings.all.filter { $0.group == group }
    let advice =
      if Settings.setting(name) != nil {
        // Either the dotted name where a group is wanted, or a setting that stands too deep.
        Self.placement(of: name)
      } else if let near = Suggestion.nearest(
        to: name,
        among: siblings.map(\.name) + (group == nil ? groups : [])
      ) {
        "did you mean `\(group.map { "\($0)." } ?? "")\(near)`?"
      } else if let near = Suggestion.nearest(to: full, among: Settings.all.map(\.key))
        ?? Settings.all.first(where: { $0.name.lowercased() == name.lowercased() })?.key
      {
        "did you mean `\(near)`? \(placement(of: near))"
      } else if let group {
        "`\(group)` has \(siblings.map(\.name).joined(separator: ", "))"
      } else {
        "`obsd check-config --print-defaults` shows all that there are"
      }
    return "there is no setting `\(full)`; \(advice)"
  }

  private static func placement(of key: String) -> String {
    guard let setting = Settings.setting(key), let group = setting.group else {
      return "`\(key)` stands in the first column, in no group"
    }
    return "write `\(setting.name): …` indented below `\(group):`"
  }

  // MARK: Values

  private mutating func read(_ node: YAMLNode, as setting: Setting) {
    let key = setting.key
    switch node.value {
    case .refused: return
    case _ where node.isNull:
      complain("`\(key)` has no value; leave the line out for the default", at: node.place)
    case .scalar(let text, let isPlain): read(text, isPlain: isPlain, at: node.place, as: setting)
    case .sequence(let elements) where setting.kind == .origins:
      read(elements, at: node.place, as: setting)
    default:
      complain(
        "`\(key)` must be \(setting.kind.expectation), not \(Self.kind(of: node))",
        at: node.place
      )
    }
  }

  private mutating func read(
    _ text: String,
    isPlain: Bool,
    at place: YAMLPlace,
    as setting: Setting
  ) {
    switch setting.kind {
    case .origins:
      let message = "`\(setting.key)` must be a list, such as [https://app.example.org]"
      return complain(message, at: place)
    case .text, .file, .urlPath, .choice:
      if isPlain, let kind = Self.kind(ofPlain: text) {
        let message = "`\(setting.key)` must be \(setting.kind.expectation), not \(kind)"
        return complain(
          "\(message); put it in quotes if it is meant as text: \"\(text)\"",
          at: place
        )
      }
    case .toggle, .count, .number:
      if !isPlain {
        let message = "`\(setting.key)` must be \(setting.kind.expectation), not text"
        return complain("\(message); leave out the quotes", at: place)
      }
    case .size, .time: break
    }
    guard var value = setting.kind.value(of: text) else {
      return complain(setting.complaint(about: text), at: place)
    }
    if setting.kind == .file { value = .text(besideFile(text)) }
    entries.append(Entry(setting: setting, value: value, source: source(place)))
  }

  private mutating func read(_ elements: [YAMLNode], at place: YAMLPlace, as setting: Setting) {
    var texts: [String] = []
    for element in elements where element.value != .refused {
      guard case .scalar(let text, _) = element.value, SettingKind.isOrigin(text) else {
        let found =
          if case .scalar(let text, _) = element.value { "`\(text)`" } else {
            Self.kind(of: element)
          }
        complain(
          "an element of `\(setting.key)` must be an origin such as https://app.example.org, not \(found)",
          at: element.place
        )
        continue
      }
      texts.append(text)
    }
    entries.append(Entry(setting: setting, value: .list(texts), source: source(place)))
  }

  /// A path that begins at the folder of the configuration file, wherever the program was started.
  private func besideFile(_ path: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    return URL(filePath: name).deletingLastPathComponent().appending(path: path).path
  }

  private static func kind(of node: YAMLNode) -> String {
    switch node.value {
    case .mapping: "a group"
    case .sequence: "a list"
    case .scalar(let text, _): node.isNull ? "nothing" : "`\(text)`"
    case .refused: "something that is not accepted"
    }
  }

  /// What else a text without quotes is in YAML; nil when it is text.
  private static func kind(ofPlain text: String) -> String? {
    if ["true", "True", "TRUE", "false", "False", "FALSE"].contains(text) {
      return "true or false"
    }
    if NumberText.number(text, in: -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)
      != nil
    {
      return "a number"
    }
    return nil
  }
}

extension ConfigurationProblem {
  fileprivate var position: (Int, Int) {
    if case .file(_, let line, let column) = source { (line, column) } else { (0, 0) }
  }
}
