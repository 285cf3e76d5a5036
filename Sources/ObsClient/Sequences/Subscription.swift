internal import ObsWire

/// One iteration of a live query or a stream: it begins with this object, and ends with it at the latest.
final class Subscription<Contents: MailboxContents>: Sendable {
  private let client: Client
  private let mailbox: Mailbox<Contents>
  private let id: OperationID?

  /// Starts the operation; a request that cannot be sent shows its error to the reader.
  init(_ client: Client, _ request: Request, _ kind: Operation.Kind, _ contents: Contents) {
    self.client = client
    mailbox = Mailbox(contents)
    switch (client.core, request.payload) {
    case (.success(let core), .success(let payload)):
      let id = core.nextID()
      self.id = id
      core.start(id, Operation(kind, payload), sink: mailbox)
    case (.failure(let error), _), (_, .failure(let error)):
      id = nil
      _ = mailbox.deliver(.failed(error))
    }
  }

  deinit {
    end()
  }

  /// Waits for the next item; nil at the end, and when the task is cancelled, which ends the operation.
  func next(isolation: isolated (any Actor)?) async throws(ClientError) -> Contents.Item? {
    let outcome = await withTaskCancellationHandler(
      operation: {
        await mailbox.next(isolation: isolation) {
          if let id, case .success(let core) = client.core { core.resume(id) }
        }
      },
      onCancel: {
        end()
      },
      isolation: isolation
    )
    return try outcome.get()
  }

  private func end() {
    mailbox.abandon()
    guard let id, case .success(let core) = client.core else { return }
    core.end(id)
  }
}

/// What is sent to start an operation, or why it cannot be.
struct Request: Sendable {
  let payload: Result<SubscribePayload, ClientError>

  /// A registered operation; the arguments must become a JSON object.
  init<Arguments: Encodable>(
    _ operation: String,
    _ arguments: Arguments,
    live: LiveOptions = LiveOptions()
  ) {
    payload = Self.members(of: arguments, "the arguments of `\(operation)`").map { variables in
      SubscribePayload(query: "", operationName: operation, variables: variables, live: live)
    }
  }

  /// A query as text; its variables must become a JSON object.
  init<Variables: Encodable>(
    query text: String,
    _ variables: Variables,
    live: LiveOptions = LiveOptions()
  ) {
    payload = Self.members(of: variables, "the variables of a query").map { variables in
      SubscribePayload(query: text, variables: variables, live: live)
    }
  }

  private static func members(
    of arguments: some Encodable,
    _ what: String
  ) -> Result<JSON.Object, ClientError> {
    do {
      let json = try JSONCoding.json(arguments)
      guard let members = json.objectValue else {
        return .failure(
          ClientError(.badArguments, "\(what) must encode to a JSON object, not to \(json)")
        )
      }
      return .success(members)
    } catch {
      return .failure(
        ClientError(.badArguments, "\(what) cannot be encoded: \(error)", underlying: error)
      )
    }
  }
}
