import ObsModel
import Observation
import Testing

/// Models never leave their actor: what breaks that traps, and the text says what was done wrong.
@Suite("Traps", .timeLimit(.minutes(5)))
struct TrapTests {
  @Test("A change off ObsActor of a model that a live query has read traps")
  func mutationOffTheActor() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let model = Unprotected()
      let values = Inbox<Int>()
      let evaluation = await ObservationsEvaluation {
        model.value
      } deliver: { value in
        values.put(value)
        return true
      }
      _ = try await values.next()
      // The evaluation waits for changes before the end of its turn.
      await nextTurn()
      model.value = 1
      await evaluation.end()
    }
    let text = try #require(result).standardErrorText
    #expect(text.contains("was changed off ObsActor"))
    #expect(text.contains("@ObsActor"))
  }

  @Test("The same change on ObsActor is fine, and the process goes on")
  func mutationOnTheActor() async {
    await #expect(processExitsWith: .success) {
      let model = Unprotected()
      let values = Inbox<Int>()
      let evaluation = await ObservationsEvaluation {
        model.value
      } deliver: { value in
        values.put(value)
        return true
      }
      _ = try await values.next()
      await nextTurn()
      await Task { @ObsActor in model.value = 1 }.value
      while try await values.next() != 1 {}
      await evaluation.end()
    }
  }

  @Test("ObsActor.assumeIsolated off the actor traps")
  func assumeIsolatedOffTheActor() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      ObsActor.assumeIsolated {}
    }
    #expect(try #require(result).standardErrorText.contains("not on ObsActor"))
  }

  @Test("ObsActor.preconditionIsolated off the actor traps")
  func preconditionIsolatedOffTheActor() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      ObsActor.preconditionIsolated()
    }
    #expect(try #require(result).standardErrorText.contains("not on ObsActor"))
  }
}

/// A model that promises more than it keeps: nothing but the trap guards it.
@Observable
final class Unprotected: @unchecked Sendable {
  var value = 0
}

extension ExitTest.Result {
  var standardErrorText: String { String(decoding: standardErrorContent, as: UTF8.self) }
}
