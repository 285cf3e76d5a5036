import ObsWire
import Testing

@testable import ObsServer

@Suite("A peer's protocol state")
struct PeerTests {
  @Test("subscribe before connection_init is closed with 4401")
  func subscribeFirst() {
    var harness = PeerHarness(ready: false)
    let effect = harness.peer.receive(.subscribe(id: "a", payload: .init()), now: 1)
    #expect(effect?.closing == .unauthorized)
  }

  @Test("subscribe before connection_ack is closed with 4401")
  func subscribeBeforeAck() {
    var harness = PeerHarness(ready: false)
    _ = harness.peer.receive(.connectionInit(payload: [:]), now: 1)
    let effect = harness.peer.receive(.subscribe(id: "a", payload: .init()), now: 1)
    #expect(effect?.closing == .unauthorized)
  }

  @Test("a second connection_init is closed with 4429")
  func secondInit() {
    var harness = PeerHarness()
    #expect(harness.peer.receive(.connectionInit(payload: [:]), now: 1)?.closing == .tooManyInit)
  }

  @Test("an active id is closed with 4409; a completed id is free again")
  func duplicateID() {
    var harness = PeerHarness()
    #expect(harness.subscribe("a") != nil)
    _ = harness.peer.receive(.complete(id: "a"), now: 1)
    #expect(harness.subscribe("a") != nil)
    let effect = harness.peer.receive(.subscribe(id: "a", payload: .init()), now: 1)
    #expect(effect?.closing == .subscriberExists)
  }

  @Test("the subscription over the limit gets an error that names it; the first ones go on")
  func tooMany() throws {
    var limits = Limits()
    limits.subscriptionsPerConnection = 2
    var harness = PeerHarness(limits: limits)
    let first = try harness.started("a")
    _ = harness.subscribe("b")
    #expect(harness.subscribe("c") == nil)
    _ = harness.offer("1", to: first)
    let messages = try harness.messages(rev: 3)
    #expect(messages.map(\.short) == ["c!too-many-subscriptions", "a=1@3"])
    guard case .error(_, let errors) = messages[0] else { return }
    #expect(errors[0].extensions["limit"] == 2)
    #expect(errors[0].message.contains("subscriptionsPerConnection"))
  }

  @Test("ping is answered by pong with its payload")
  func ping() throws {
    var harness = PeerHarness()
    _ = harness.peer.receive(.ping(payload: ["n": 7]), now: 1)
    guard case .pong(let payload) = try harness.messages(rev: 0)[0] else {
      Issue.record("no pong")
      return
    }
    #expect(payload?["n"] == 7)
  }

  @Test("nothing is taken or sent after a close")
  func afterClose() throws {
    var harness = PeerHarness()
    _ = harness.peer.close(.restart, "restart")
    #expect(harness.subscribe("a") == nil)
    #expect(try harness.messages(rev: 0).isEmpty)
  }
}

@Suite("A peer's slots and batches")
struct OutboxTests {
  @Test("a slow peer gets the newest value, and learns how many it missed")
  func newest() throws {
    var harness = PeerHarness()
    let a = try harness.started("a")
    for value in 1...5 { _ = harness.offer("\(value)", to: a) }
    #expect(try harness.messages(rev: 9).map(\.short) == ["a=5@9~4"])
    _ = harness.offer("6", to: a)
    #expect(try harness.messages(rev: 10).map(\.short) == ["a=6@10"])
  }

  @Test("changed and changed back while the peer was slow: no frame, counted as skipped later")
  func backAgain() throws {
    var harness = PeerHarness()
    let a = try harness.started("a")
    _ = harness.offer("1", to: a)
    _ = try harness.messages(rev: 1)
    _ = harness.offer("2", to: a)
    _ = harness.offer("1", to: a)
    #expect(try harness.messages(rev: 3).isEmpty)
    _ = harness.offer("4", to: a)
    #expect(try harness.messages(rev: 4).map(\.short) == ["a=4@4~2"])
  }

  @Test("all values of a batch carry one rev, and more on all but the last")
  func more() throws {
    var harness = PeerHarness()
    let serials = try ["a", "b", "c"].map { try harness.started($0) }
    for serial in serials { _ = harness.offer("0", to: serial) }
    #expect(try harness.messages(rev: 5).map(\.short) == ["a=0@5+", "b=0@5+", "c=0@5"])
  }

  @Test("a value that the client has is not sent, unless a newer one takes its place first")
  func known() throws {
    var harness = PeerHarness()
    let big = "\"" + String(repeating: "x", count: Frame.copiedBytes) + "\""
    let frame = Frame(Array(big.utf8))
    #expect(frame.makeDigest())
    #expect(!frame.makeDigest())
    for id in ["a", "b"] {
      let serial = try harness.started(id)
      harness.peer.slot(serial)?.known = frame
      _ = harness.offer(frame, to: serial)
      if id == "b" { _ = harness.offer("2", to: serial) }
    }
    let sent = try harness.messages(rev: 1)
    #expect(sent.map(\.short) == ["a=null@1+", "b=2@1~1"])
    guard case .next(_, let unchanged)? = sent.first, case .next(_, let newer)? = sent.last else {
      return
    }
    #expect(unchanged.unchanged)
    #expect(unchanged.digest == frame.digest)
    #expect(!newer.unchanged)
    // It is what the client has: gone and back again while the peer was slow, it is not sent.
    let a = try #require(harness.peer.serialsByID["a"])
    _ = harness.offer("3", to: a)
    _ = harness.offer(frame, to: a)
    #expect(try harness.messages(rev: 2).isEmpty)
  }

  @Test("a batch that has begun is finished as it was; newer values wait in their slots")
  func pinned() throws {
    var harness = PeerHarness()
    let big = "\"" + String(repeating: "x", count: Frame.copiedBytes) + "\""
    let a = try harness.started("a")
    let b = try harness.started("b")
    _ = harness.offer(big, to: a)
    _ = harness.offer("1", to: b)
    var sent = harness.writes(rev: 1, most: 1)
    _ = harness.offer("2", to: a)
    _ = harness.offer("2", to: b)
    sent += harness.writes(rev: 2)
    let messages = try harness.decode(sent.flatMap { $0 })
    #expect(messages.map { $0.short.suffix(3) } == ["@1+", "1@1", "@2+", "2@2"])
  }

  @Test("a large value leaves as fragments that all its subscribers share")
  func fragments() throws {
    let text = String(repeating: "é", count: Frame.fragmentBytes)
    let frame = Frame(Array("\"\(text)\"".utf8))
    #expect(frame.fragments.count == 3)
    var harness = PeerHarness()
    let a = try harness.started("a")
    _ = harness.offer(frame, to: a)
    let writes = harness.writes(rev: 1)
    #expect(writes.count == 5)
    #expect(Array(writes[1...3]) == frame.fragments)
    guard case .next(_, let payload) = try harness.decode(writes.flatMap { $0 })[0] else { return }
    #expect(payload.data.stringValue == text)
  }

  @Test("an answer leaves behind the values that it caused")
  func answerLast() throws {
    var harness = PeerHarness()
    let command = try harness.started("c")
    let watch = try harness.started("w")
    _ = harness.offer("1", to: watch)
    _ = harness.peer.answer(command, data: Array("true".utf8), rev: 8)
    #expect(try harness.messages(rev: 8).map(\.short) == ["w=1@8", "c=true@8", "c."])
    #expect(harness.subscribe("c") != nil)
  }

  @Test("the last value leaves before the end of its operation")
  func lastValueBeforeComplete() throws {
    var harness = PeerHarness()
    let a = try harness.started("a")
    _ = harness.offer("1", to: a)
    harness.finish(a)
    if case .ignored = harness.offer("2", to: a) {} else { Issue.record("offered after the end") }
    #expect(try harness.messages(rev: 1).map(\.short) == ["a=1@1", "a."])
  }

  @Test("minInterval holds a value back; the newest leaves; the end hastens it")
  func minInterval() throws {
    var harness = PeerHarness()
    let a = try harness.started("a")
    harness.peer.slot(a)?.minInterval = 100
    _ = harness.offer("1", to: a)
    #expect(try harness.messages(rev: 1).map(\.short) == ["a=1@1"])
    guard case .held(let until) = harness.offer("2", to: a) else {
      Issue.record("not held back")
      return
    }
    #expect(until == 101)
    _ = harness.offer("3", to: a)
    #expect(try harness.messages(rev: 2).isEmpty)
    harness.now = until
    harness.peer.release(a)
    #expect(try harness.messages(rev: 3).map(\.short) == ["a=3@3~1"])
    _ = harness.offer("4", to: a)
    harness.finish(a)
    #expect(try harness.messages(rev: 4).map(\.short) == ["a=4@4", "a."])
  }

  @Test("a completed operation's value is not sent, also not to the next one with its id")
  func completedSlot() throws {
    var harness = PeerHarness()
    let a = try harness.started("a")
    _ = harness.offer("1", to: a)
    _ = harness.peer.receive(.complete(id: "a"), now: 1)
    let again = try harness.started("a")
    #expect(again != a)
    #expect(try harness.messages(rev: 1).isEmpty)
    if case .ignored = harness.offer("1", to: a) {} else { Issue.record("old serial was taken") }
  }

  @Test("unread answers over outboxBytes close the peer with 1013")
  func slowConsumer() {
    var limits = Limits()
    limits.outboxBytes = 100
    var harness = PeerHarness(limits: limits)
    #expect(harness.peer.send([UInt8](repeating: 32, count: 60)) == nil)
    #expect(harness.peer.send([UInt8](repeating: 32, count: 60))?.closing == .overloaded)
  }

  @Test("random offers, reads and completes keep order, revs and the last value", arguments: 1...20)
  func random(seed: UInt64) throws {
    var random = SplitMix(seed)
    var harness = PeerHarness()
    var active: [String: (serial: UInt64, newest: Int)] = [:]
    var seen: [String: (rev: Int64, value: Int64)] = [:]
    for step in 1...500 {
      switch random.next() % 4 {
      case 0 where active.count < 20:
        let id = "q\(step)"
        active[id] = (try harness.started(id), -1)
      case 1:
        guard let id = active.keys.sorted().first else { continue }
        _ = harness.peer.receive(.complete(id: id), now: 1)
        active[id] = nil
      case 2:
        for id in active.keys where random.next() % 2 == 0 {
          guard let entry = active[id] else { continue }
          _ = harness.offer("\(step)", to: entry.serial)
          active[id]?.newest = step
        }
      default:
        for message in try harness.messages(rev: Int64(step)) {
          guard case .next(let id, let payload) = message, let value = payload.data.intValue,
            let rev = payload.extensions["rev"]?.intValue
          else { continue }
          if let last = seen[id] { #expect(rev > last.rev && value > last.value) }
          seen[id] = (rev, value)
        }
        for (id, entry) in active where entry.newest >= 0 {
          #expect(seen[id]?.value == Int64(entry.newest), "seed \(seed) step \(step)")
        }
      }
    }
  }
}

extension Peer.Effect {
  var closing: CloseCode? {
    if case .close(let code, _) = self { code } else { nil }
  }
}

/// A small random source with a seed, so that a failure can be repeated.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
