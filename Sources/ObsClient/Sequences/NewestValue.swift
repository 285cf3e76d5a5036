internal import ObsWire

/// Keeps the newest value for a reader that may be slow, and never shows it an equal one twice in a row.
struct NewestValue: Sendable {
  private var pending: Reply?
  /// What the reader saw last.
  private var shown: Content?
  /// How many values were passed over since the reader took one, here and at the server.
  private var skipped = 0
  private var ending: Result<Void, ClientError>?

  /// Whether nothing more will come.
  var isOver: Bool { ending != nil }

  /// Takes a value from the server.
  mutating func offer(_ reply: Reply) {
    guard ending == nil else { return }
    // A new connection may bring the value that still waits; none was passed over then.
    let replaces = pending.map { $0.content != reply.content } ?? false
    skipped += reply.skipped + (replaces ? 1 : 0)
    // Back at what the reader already has: nothing to show, whatever lay between.
    pending = reply.content == shown ? nil : reply
  }

  /// Takes the end; a value that still waits is shown before it.
  mutating func finish(_ ending: Result<Void, ClientError>) {
    guard self.ending == nil else { return }
    self.ending = ending
  }

  /// Ends at once: nothing more is shown.
  mutating func abandon() {
    pending = nil
    ending = .success(())
  }

  /// What the reader gets now; nil when it has to wait.
  mutating func take() -> Result<Reply?, ClientError>? {
    if var reply = pending {
      pending = nil
      reply.skipped = skipped
      skipped = 0
      shown = reply.content
      return .success(reply)
    }
    guard let ending else { return nil }
    self.ending = .success(())
    return ending.map { nil }
  }
}
