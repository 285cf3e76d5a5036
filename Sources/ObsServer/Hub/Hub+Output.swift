import ObsModel
import ObsTransport
import ObsWire

/// What turns publish, handed to the peers.
extension Hub {
  /// Takes the output of one turn.
  ///
  /// Called from the model thread.
  nonisolated func publish(_ output: TurnOutput) {
    loop.execute { self.assumeIsolated { $0.apply(output) } }
  }

  private func apply(_ output: TurnOutput) {
    rev = output.rev
    seq = output.seq
    let now = Clocks.monotonic()
    for (query, behind) in output.behind { fanouts[query]?.behind = behind }
    for (query, frame) in output.changed {
      for operation in webWatchers[query] ?? [] { webOffer(frame, to: operation) }
      guard let fanout = fanouts[query] else { continue }
      for member in fanout.members { offer(frame, to: member.slot, member.session, now) }
    }
    for (key, query, frame, isKnown) in output.attached {
      attach(key, query, frame, isKnown: isKnown, now)
    }
    for (key, error) in output.endedEarly { finish(key, error) }
    for (query, error) in output.ended {
      for operation in webWatchers[query] ?? [] { webEnded(operation, error) }
      guard let fanout = fanouts.removeValue(forKey: query) else { continue }
      for member in fanout.members {
        finish(OperationKey(connection: member.session.id, serial: member.slot.serial), error)
      }
    }
    for (key, error) in output.failed { finish(key, error) }
    for (key, answer) in output.answered {
      if let operation = web[key] {
        webAnswered(operation, answer, rev: output.rev)
        continue
      }
      guard let session = sessions[key.connection] else { continue }
      let data = answer.data(rev: output.rev)
      perform(
        session.peer.answer(key.serial, data: data, rev: output.rev, seq: answer.seq),
        session
      )
    }
  }

  private func offer(
    _ frame: Frame,
    to slot: OperationSlot,
    _ session: Session,
    _ now: UInt64
  ) {
    switch session.peer.offer(frame, to: slot, now: now) {
    case .queued:
      flushLater(session)
    case .held(let until):
      let id = session.id
      let serial = slot.serial
      _ = loop.schedule(after: .nanoseconds(Int64(until - now))) { [weak self] in
        self?.assumeIsolated { $0.release(id, serial) }
      }
    case .replaced:
      metrics.framesSkipped.add(1)
    case .ignored:
      break
    }
  }

  private func release(_ id: ConnectionID, _ serial: UInt64) {
    guard let session = sessions[id] else { return }
    session.peer.release(serial)
    flushLater(session)
  }

  private func attach(
    _ key: OperationKey,
    _ query: LiveQueryID,
    _ frame: Frame,
    isKnown: Bool,
    _ now: UInt64
  ) {
    if let operation = web[key] {
      if isKnown { operation.unchanged = frame }
      return webAttached(operation, query, frame)
    }
    guard let session = sessions[key.connection], let slot = session.peer.slot(key.serial) else {
      return
    }
    if isKnown { slot.known = frame }
    if case .once = slot.kind {
      offer(frame, to: slot, session, now)
      finish(key, nil)
      return
    }
    let fanout = fanouts[query] ?? Fanout(query: query)
    fanouts[query] = fanout
    slot.fanout = fanout
    slot.position = fanout.members.count
    fanout.members.append(Fanout.Member(session: session, slot: slot))
    offer(frame, to: slot, session, now)
  }

  /// Ends an operation from the server's side.
  func finish(_ key: OperationKey, _ error: WireError?) {
    request(.leave(key))
    if let operation = web[key] { return webEnded(operation, error) }
    guard let session = sessions[key.connection] else { return }
    guard let slot = session.peer.slot(key.serial) else { return }
    detach(slot)
    perform(session.peer.finish(slot, error: error), session)
  }
}
