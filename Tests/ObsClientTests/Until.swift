import Observation

/// Returns when what is observed is so.
@MainActor
func until(_ isSo: @escaping @MainActor @Sendable () -> Bool) async {
  let lifeline = Lifeline()
  let states = Observations<Bool, Never> { lifeline.isOpen && isSo() }
  for await state in states where state { break }
  // Lets go of what was read.
  lifeline.isOpen = false
}

/// Ends an iteration of `Observations` that reads it first.
@MainActor @Observable
final class Lifeline {
  var isOpen = true
}
