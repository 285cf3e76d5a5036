internal import ObsCommandLine

/// The part of the environment that is about obs.
struct EnvironmentVariables {
  /// Variables that mean something to obs programs and are no settings.
  static let others = ["OBS_CONFIG", "OBS_URL", "OBS_TOKEN"]

  /// What is set, in the order of the table; an empty variable counts as none.
  private(set) var values: [(setting: Setting, text: String)] = []
  /// What begins like ours and is none of ours, with what was probably meant.
  private(set) var warnings: [ConfigurationProblem] = []

  init(_ environment: [String: String]) {
    for setting in Settings.all {
      guard let text = environment[setting.variable], !text.isEmpty else { continue }
      values.append((setting, text))
    }
    let known = Settings.all.map(\.variable) + Self.others
    for variable in environment.keys.sorted()
    where variable.hasPrefix("OBS_") && !known.contains(variable) {
      let name = variable.dropFirst("OBS_".count)
      let meant =
        Suggestion.nearest(to: variable, among: known)
        ?? known.first { $0.hasSuffix("_\(name)") }
      warnings.append(
        ConfigurationProblem(
          source: .environment(variable),
          message: "is no setting of obsd and is ignored"
            + (meant.map { "; did you mean \($0)?" } ?? "")
        )
      )
    }
  }
}
