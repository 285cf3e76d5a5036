import Foundation
import Testing

extension Trait where Self == ConditionTrait {
  /// Tests that load the whole machine or start other programs: `OBS_LONG_TESTS=1 make test FILTER=EndToEnd`.
  ///
  /// Beside the others they would starve tests whose subject is time.
  static var longRun: Self {
    .enabled(
      if: ProcessInfo.processInfo.environment["OBS_LONG_TESTS"] != nil,
      "set OBS_LONG_TESTS=1, with FILTER=EndToEnd, to run this"
    )
  }
}
