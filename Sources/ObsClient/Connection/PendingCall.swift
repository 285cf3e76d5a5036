internal import ObsWire
internal import Synchronization

/// One call that waits for its answer.
final class PendingCall: OperationSink {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Result<Reply, ClientError>, Never>)
    case answered(Result<Reply, ClientError>)
  }

  private let state = Mutex(State.idle)

  var isOpen: Bool {
    state.withLock { state in
      guard case .answered = state else { return true }
      return false
    }
  }

  func deliver(_ delivery: Delivery) -> Bool {
    switch delivery {
    case .next(let payload, let epoch): answer(.success(Reply(payload, epoch: epoch)))
    case .finished:
      answer(.failure(ClientError(.internal, "the server completed the call without an answer")))
    case .failed(let error): answer(.failure(error))
    case .interrupted: break
    }
    return true
  }

  /// The first answer counts.
  func answer(_ result: Result<Reply, ClientError>) {
    let waiting: CheckedContinuation<Result<Reply, ClientError>, Never>? = state.withLock { state in
      switch state {
      case .answered: return nil
      case .idle:
        state = .answered(result)
        return nil
      case .waiting(let continuation):
        state = .answered(result)
        return continuation
      }
    }
    waiting?.resume(returning: result)
  }

  func wait(isolation: isolated (any Actor)? = #isolation) async -> Result<Reply, ClientError> {
    await withCheckedContinuation(isolation: isolation) { continuation in
      let answered: Result<Reply, ClientError>? = state.withLock { state in
        guard case .answered(let result) = state else {
          state = .waiting(continuation)
          return nil
        }
        return result
      }
      if let answered { continuation.resume(returning: answered) }
    }
  }
}

/// A request on its way: sent, or waiting for a connection.
struct StartedCall: Sendable {
  let core: Core
  let id: OperationID
  let call: PendingCall
  /// What it is called in errors.
  let name: String

  /// Waits for the answer; to be called once.
  func reply() async throws(ClientError) -> Reply {
    let result = await withTaskCancellationHandler {
      await call.wait()
    } onCancel: {
      call.answer(
        .failure(ClientError(.cancelled, "the task that waited for \(name) was cancelled"))
      )
      core.end(id)
    }
    return try result.get()
  }

  /// Waits for the answer, decoded; to be called once.
  func answer<Answer: Decodable>(as type: Answer.Type) async throws(ClientError) -> Answer {
    try await reply().content.decoded(as: type).mapError { error in
      // Nothing follows that could heal it.
      var error = error
      error.mayHeal = false
      return error
    }.get()
  }
}
