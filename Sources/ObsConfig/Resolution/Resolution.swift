internal import ObsCommandLine
internal import ObsServer

/// A configuration put together from defaults, file, environment and flags, and where each value comes from.
///
/// Precedence: flag, then environment, then file, then default. All mistakes are found, not the first only, also in
/// values that something else overrides.
public struct Resolution: Sendable {
  /// A value that a flag gave, as text.
  public struct FlagValue: Sendable, Equatable {
    /// The setting's key.
    public var key: String
    /// The text behind the flag.
    public var text: String

    /// Pairs them.
    public init(key: String, text: String) {
      (self.key, self.text) = (key, text)
    }
  }

  /// What is in force; only to be used when there are no problems.
  public private(set) var configuration = Configuration()
  /// What is wrong.
  public private(set) var problems: [ConfigurationProblem] = []
  /// What is probably not meant, but harmless.
  public private(set) var warnings: [ConfigurationProblem] = []
  private var sources: [String: Source] = [:]

  /// Puts a configuration together.
  ///
  /// - Parameters:
  ///   - file: the path of the configuration file, if there is one.
  ///   - environment: all variables of the environment.
  ///   - flags: what the command line says, in its order.
  public init(file: String?, environment: [String: String], flags: [FlagValue]) {
    self.init(file.map { ConfigurationFile(path: $0) }, environment, flags)
  }

  init(_ file: ConfigurationFile?, _ environment: [String: String], _ flags: [FlagValue]) {
    problems = file?.problems ?? []
    for entry in file?.entries ?? [] { set(entry.setting, entry.value, from: entry.source) }
    let variables = EnvironmentVariables(environment)
    warnings = variables.warnings
    for (setting, text) in variables.values {
      read(text, as: setting, from: .environment(setting.variable))
    }
    var origins: [String: [String]] = [:]
    for flag in flags {
      guard let setting = Settings.setting(flag.key) else { continue }
      var text = flag.text
      if setting.kind == .origins {
        origins[setting.key, default: []].append(text)
        text = origins[setting.key, default: []].joined(separator: ",")
      }
      read(text, as: setting, from: .flag(setting.flag))
    }
    checkTogether()
  }

  /// Where the value of a setting comes from.
  public func source(of setting: Setting) -> Source { sources[setting.key] ?? .standard }

  private mutating func read(_ text: String, as setting: Setting, from source: Source) {
    guard let value = setting.kind.value(of: text) else {
      return complain(setting.complaint(about: text), at: source)
    }
    set(setting, value, from: source)
  }

  private mutating func set(_ setting: Setting, _ value: SettingValue, from source: Source) {
    setting.apply(value, to: &configuration)
    sources[setting.key] = source
  }

  private mutating func complain(_ message: String, at source: Source) {
    problems.append(ConfigurationProblem(source: source, message: message))
  }

  private func source(_ key: String) -> Source { sources[key] ?? .together }

  // MARK: What can only be seen together

  private mutating func checkTogether() {
    checkTLS()
    if configuration.demo, configuration.load != nil {
      complain(
        "`data.demo` brings its own document; leave out `data.load` (\(source("data.load")))",
        at: source("data.demo")
      )
    }
    // What the table cannot say; with other problems it would only repeat them.
    guard problems.isEmpty else { return }
    do throws(ServerError) { try configuration.server.check() } catch {
      complain(error.message, at: .together)
    }
  }

  private mutating func checkTLS() {
    let files = [
      ("tls.certificate", configuration.certificateFile), ("tls.key", configuration.privateKeyFile),
    ]
    for (key, path) in files {
      guard let path, let reason = FileProblem.reading(path) else { continue }
      complain("`\(key)` names \(path), which cannot be read: \(reason)", at: source(key))
    }
    switch (configuration.certificateFile, configuration.privateKeyFile) {
    case (let certificate?, let key?):
      configuration.server.tls = .init(certificateFile: certificate, privateKeyFile: key)
    case (.some, nil):
      complain("TLS needs the key, too: set `tls.key`", at: source("tls.certificate"))
    case (nil, .some):
      complain("TLS needs the certificate, too: set `tls.certificate`", at: source("tls.key"))
    case (nil, nil): break
    }
  }
}
