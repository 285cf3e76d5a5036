import Foundation
import ObsTestSupport
import Testing

/// Programs that others wrote, and where they are.
enum Tools {
  /// The folder of the package.
  static let repository = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Where Debian keeps modules of Node.
  static let nodeModules = URL(filePath: "/usr/share/nodejs")

  /// A tool that is not installed.
  struct Missing: Error, CustomStringConvertible {
    var name: String
    var description: String {
      "\(name) is neither in .build/venv nor in PATH: scripts/setup --test and scripts/test-tools install it"
    }
  }

  /// Where a program is: in `.build/venv`, where `scripts/test-tools` installs, or in `PATH`.
  static func path(_ name: String) throws -> URL {
    let own = repository.appending(path: ".build/venv/bin")
    guard let file = Tool.path(name, in: [own]) else { throw Missing(name: name) }
    return file
  }

  /// Whether a test that needs these runs: without them it is skipped, except where `OBS_TEST_TOOLS=required` says that
  /// they must be there, as in CI.
  static func available(_ names: String...) -> Bool {
    isRequired || names.allSatisfy { (try? path($0)) != nil }
  }

  /// The same for a module of Node.
  static func available(nodeModule name: String) -> Bool {
    isRequired || FileManager.default.fileExists(atPath: nodeModules.appending(path: name).path)
  }

  private static let isRequired =
    ProcessInfo.processInfo.environment["OBS_TEST_TOOLS"] == "required"
}

extension Trait where Self == ConditionTrait {
  /// The test needs programs that others wrote.
  static func needs(_ names: String...) -> Self {
    .enabled(
      if: names.allSatisfy { Tools.available($0) },
      "needs \(names.formatted()): scripts/setup --test and scripts/test-tools install them"
    )
  }

  /// The test needs a module of Node that Debian ships.
  static func needsNodeModule(_ name: String) -> Self {
    .enabled(
      if: Tools.available(nodeModule: name),
      "needs Node's \(name): scripts/setup --test installs it"
    )
  }
}
