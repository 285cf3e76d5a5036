internal import ObsClient
internal import ObsCommandLine
internal import ObsWire

/// Writes what several watched queries show, one after the other, and counts it.
actor Lines {
  private let invocation: Invocation
  private let output: Output
  private var board: Board?
  private var count = 0

  init(_ invocation: Invocation, _ output: Output) {
    self.invocation = invocation
    self.output = output
    if invocation.format == nil, output.isTerminal {
      board = Board(invocation.queries.map(Self.title))
    }
  }

  /// Shows a value; true when it was the last one wanted.
  func add(_ frame: Frame<JSON>, of query: Invocation.Query, at index: Int) throws -> Bool {
    switch invocation.format ?? .ndjson {
    case _ where board != nil: try draw(frame.value.description, at: index)
    case .value: try output.line(frame.value.description)
    case .pretty:
      try output.line("\(Self.title(query)) (rev \(frame.rev))\n\(frame.value.pretty())")
    case .ndjson:
      var line: JSON.Object = [
        "operation": .string(query.operation), "data": frame.value, "rev": .int(frame.rev),
      ]
      if frame.skipped > 0 { line["skipped"] = .int(Int64(frame.skipped)) }
      if frame.deferred { line["deferred"] = true }
      try output.line(JSON.object(line).description)
    }
    return isEnough()
  }

  /// Shows that a query has no value at present; true when it was the last state wanted.
  func add(_ error: ClientError, of query: Invocation.Query, at index: Int) throws -> Bool {
    switch invocation.format ?? .ndjson {
    case _ where board != nil: try draw("no value: \(error)", at: index)
    case .value: output.note("\(Self.title(query)): \(error)")
    case .pretty: try output.line("\(Self.title(query)): no value: \(error)")
    case .ndjson:
      let line: JSON.Object = [
        "operation": .string(query.operation), "errors": .array([error.wire?.json ?? .null]),
      ]
      try output.line(JSON.object(line).description)
    }
    return isEnough()
  }

  private func draw(_ text: String, at index: Int) throws {
    guard let drawing = board?.show(text, at: index) else { return }
    try output.write(drawing)
  }

  private func isEnough() -> Bool {
    count += 1
    return count == invocation.count
  }

  private static func title(_ query: Invocation.Query) -> String {
    query.variables.isEmpty
      ? query.operation : "\(query.operation) \(JSON.object(query.variables))"
  }
}
