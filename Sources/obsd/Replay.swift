internal import Foundation
internal import ObsHistory
internal import ObsModel
internal import ObsServer

/// Applies a history to the document again and again, so many transactions a second: the data of `--demo`.
struct Replay: Sendable {
  let document: Document
  let server: Server
  let rate: Double

  /// How long the finished document is left alone before it begins again.
  static let pause: Duration = .seconds(5)

  /// Replays until the task is cancelled.
  ///
  /// - Parameter first: the reader that was opened when the configuration was read.
  func run(_ first: HistoryReader) async {
    var reader = first
    while !Task.isCancelled {
      await replay(&reader)
      try? await Task.sleep(for: Self.pause)
      guard !Task.isCancelled else { return }
      do throws(HistoryError) { reader = try SwiftEvolution.history() } catch {
        return server.record(.error, "the history cannot be read", ["error": .string("\(error)")])
      }
      await apply(.merge(["proposals": .null]))
      await apply(.merge(SwiftEvolution.beginning))
    }
  }

  private enum Step: Sendable {
    case patch([JSON], line: Int)
    case merge(JSON)
  }

  private func replay(_ reader: inout HistoryReader) async {
    let clock = ContinuousClock()
    let start = clock.now
    var count = 0
    while !Task.isCancelled {
      let transaction: Transaction?
      do throws(HistoryError) { transaction = try reader.next() } catch {
        server.record(.error, "a transaction cannot be read", ["error": .string("\(error)")])
        continue
      }
      guard let transaction else { break }
      await apply(.patch(transaction.operations, line: transaction.line))
      count += 1
      try? await clock.sleep(until: start + .seconds(Double(count) / rate))
    }
    if Task.isCancelled { return }
    server.record(.info, "the history was replayed", ["transactions": .int(Int64(count))])
  }

  @ObsActor
  private func apply(_ step: Step) {
    do throws(CommitError) {
      switch step {
      case .patch(let operations, _): try document.apply(Commit(patch: .array(operations)))
      case .merge(let value): try document.apply(Commit(merge: value))
      }
    } catch {
      // Somebody else has written into the demo's data; the rest of the history still makes sense.
      var fields: JSON.Object = ["error": .string("\(error)")]
      if case .patch(_, let line) = step { fields["line"] = .int(Int64(line)) }
      server.record(.warning, "a transaction of the history did not apply", fields)
    }
  }
}
