internal import ObsServer

/// Where in a configuration a value is kept.
typealias ConfigurationPath<Value> = any WritableKeyPath<Configuration, Value> & Sendable

/// How the rows of ``Settings`` are written: key, path, help; then what differs from the rule.
extension Setting {
  static func text(
    _ key: String,
    _ path: ConfigurationPath<String>,
    _ help: String,
    kind: SettingKind = .text,
    flag: String? = nil
  ) -> Setting {
    Setting(key, kind, flag: flag, help: help) {
      .text($0[keyPath: path])
    } set: {
      if case .text(let text) = $1 { $0[keyPath: path] = text }
    }
  }

  static func optional(
    _ key: String,
    _ path: ConfigurationPath<String?>,
    _ help: String,
    kind: SettingKind = .text,
    flag: String? = nil
  ) -> Setting {
    Setting(key, kind, flag: flag, help: help) {
      $0[keyPath: path].map { .text($0) }
    } set: {
      if case .text(let text) = $1 { $0[keyPath: path] = text }
    }
  }

  static func toggle(
    _ key: String,
    _ path: ConfigurationPath<Bool>,
    _ help: String,
    flag: String? = nil
  ) -> Setting {
    Setting(key, .toggle, flag: flag, help: help) {
      .toggle($0[keyPath: path])
    } set: {
      if case .toggle(let isOn) = $1 { $0[keyPath: path] = isOn }
    }
  }

  static func count(
    _ key: String,
    _ path: ConfigurationPath<Int>,
    _ help: String,
    in range: ClosedRange<Int> = 1...1_000_000,
    flag: String? = nil,
    default statedDefault: Int? = nil
  ) -> Setting {
    whole(key, .count(range), path, flag, statedDefault, help)
  }

  static func size(
    _ key: String,
    _ path: ConfigurationPath<Int>,
    _ help: String,
    in range: ClosedRange<Int> = 1...(1 << 30)
  ) -> Setting {
    whole(key, .size(range), path, nil, nil, help)
  }

  private static func whole(
    _ key: String,
    _ kind: SettingKind,
    _ path: ConfigurationPath<Int>,
    _ flag: String?,
    _ statedDefault: Int?,
    _ help: String
  ) -> Setting {
    Setting(key, kind, flag: flag, default: statedDefault.map { .whole($0) }, help: help) {
      .whole($0[keyPath: path])
    } set: {
      if case .whole(let count) = $1 { $0[keyPath: path] = count }
    }
  }

  static func number(
    _ key: String,
    _ path: ConfigurationPath<Double>,
    _ help: String,
    in range: ClosedRange<Double>,
    flag: String? = nil
  ) -> Setting {
    Setting(key, .number(range), flag: flag, help: help) {
      .number($0[keyPath: path])
    } set: {
      if case .number(let number) = $1 { $0[keyPath: path] = number }
    }
  }

  static func time(
    _ key: String,
    _ path: ConfigurationPath<Duration>,
    _ help: String,
    from shortest: Duration = .zero,
    flag: String? = nil
  ) -> Setting {
    Setting(key, .time(shortest ... .seconds(24 * 3600)), flag: flag, help: help) {
      .time($0[keyPath: path])
    } set: {
      if case .time(let time) = $1 { $0[keyPath: path] = time }
    }
  }

  static func origins(
    _ key: String,
    _ path: ConfigurationPath<[String]>,
    _ help: String,
    flag: String? = nil
  ) -> Setting {
    Setting(key, .origins, flag: flag, help: help) {
      let origins = $0[keyPath: path]
      return origins.isEmpty ? nil : .list(origins)
    } set: {
      if case .list(let origins) = $1 { $0[keyPath: path] = origins }
    }
  }

  static func level(
    _ key: String,
    _ path: ConfigurationPath<LogLevel>,
    _ help: String
  ) -> Setting {
    Setting(key, .choice(LogLevel.allCases.map { "\($0)" }), flag: nil, help: help) {
      .text("\($0[keyPath: path])")
    } set: {
      if case .text(let name) = $1, let level = LogLevel(name: name) { $0[keyPath: path] = level }
    }
  }
}
