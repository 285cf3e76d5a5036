import ObsTestSupport
import ObsTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EventLoopTests {
  private actor Counter {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private(set) var values: [Int] = []

    init(loop: EventLoop) { self.loop = loop }

    func add(_ value: Int) {
      #expect(loop.isCurrent)
      values.append(value)
    }

    func sleepAndCheck() async throws {
      try await Task.sleep(for: .milliseconds(5))  // Here time is the subject.
      #expect(loop.isCurrent)
    }

    nonisolated func addIsolated(_ value: Int) { assumeIsolated { $0.values.append(value) } }
  }

  @Test("An actor on the loop runs on its thread, also from a callback")
  func actors() async throws {
    let loop = try EventLoop()
    let counter = Counter(loop: loop)
    #expect(!loop.isCurrent)
    await counter.add(1)
    await withCheckedContinuation { continuation in
      loop.execute {
        counter.addIsolated(2)
        continuation.resume()
      }
    }
    #expect(await counter.values == [1, 2])
  }

  @Test("Closures keep their order, and none is lost, from many threads")
  func order() async throws {
    let loop = try EventLoop()
    let seen = Locked<[[Int]]>(Array(repeating: [], count: 8))
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<8 {
        group.addTask {
          for number in 0..<2000 {
            loop.execute { seen.withLock { $0[lane].append(number) } }
          }
          await withCheckedContinuation { continuation in
            loop.execute { continuation.resume() }
          }
        }
      }
    }
    for lane in seen.withLock({ $0 }) { #expect(lane == Array(0..<2000)) }
  }

  @Test("Tasks that prefer the loop run on it, and sleeping resumes there")
  func taskExecutor() async throws {
    let loop = try EventLoop()
    let counter = Counter(loop: loop)
    let onLoop = await Task(executorPreference: loop) { loop.isCurrent }.value
    #expect(onLoop)
    try await counter.sleepAndCheck()
  }

  @Test("Timers come in the order of their time, equal ones in the order of scheduling")
  func timers() async throws {
    let loop = try EventLoop()
    let fired = Mailbox<Int>()
    loop.schedule(after: .milliseconds(60)) { fired.post(4) }
    loop.schedule(after: .milliseconds(20)) { fired.post(1) }
    loop.schedule(after: .milliseconds(40)) { fired.post(2) }
    loop.schedule(after: .milliseconds(40)) { fired.post(3) }
    let cancelled = loop.schedule(after: .milliseconds(30)) { fired.post(99) }
    cancelled.cancel()
    #expect(cancelled.isCancelled)
    for expected in 1...4 { #expect(await fired.next() == expected) }
    loop.schedule(after: .zero) { fired.post(5) }
    #expect(await fired.next() == 5)
    // Many cancelled timers leave together.
    for _ in 0..<10_000 { loop.schedule(after: .seconds(3600)) {}.cancel() }
    loop.schedule(after: .milliseconds(1)) { fired.post(6) }
    #expect(await fired.next() == 6)
  }

  @Test("A storm of jobs does not starve sockets")
  func fairness() async throws {
    try await withTransportServer(handler: .echo()) { it in
      let loop = it.loop
      let spinning = Locked(true)
      @Sendable func spin() {
        if spinning.withLock({ $0 }) { loop.execute(spin) }
      }
      for _ in 0..<1000 { loop.execute(spin) }
      let peer = try await RawPeer.open(port: it.port)
      for number in 0..<20 {
        try await peer.send("\(number)")
        #expect(try await peer.nextMessage() == "\(number)")
      }
      spinning.withLock { $0 = false }
    }
  }

  @Test("passEnded comes after the jobs and events of a pass")
  func passEnded() async throws {
    let order = Mailbox<String>()
    let handler = RecordingHandler(onPassEnd: { _ in order.post("end") })
    try await withTransportServer(handler: handler) { it in
      it.loop.execute {
        order.post("job")
        it.loop.execute { order.post("next job") }
      }
      _ = await order.next { $0 == "job" }
      #expect(await order.next() == "end")
      #expect(await order.next { $0 != "end" } == "next job")
      #expect(await order.next() == "end")
    }
  }

  @Test("After stop, jobs still run, and a loop that is let go is gone")
  func stop() async throws {
    for _ in 0..<20 {
      let loop = try EventLoop()
      let counter = Counter(loop: loop)
      await loop.stop()
      await loop.stop()
      await counter.add(7)
      #expect(await counter.values == [7])
      let server = WebSocketServer(on: loop, ListenOptions(), handler: RecordingHandler())
      await #expect(throws: TransportError.self) { _ = try await server.start() }
    }
    // Without a stop, too.
    weak var gone: EventLoop?
    do {
      let loop = try EventLoop()
      gone = loop
      await Counter(loop: loop).add(1)
    }
    let deadline = ContinuousClock.now + .seconds(10)
    while gone != nil, ContinuousClock.now < deadline { await Task.yield() }
    #expect(gone == nil)
  }

  @Test("A loop on a thread that served another loop before keeps its deadlines")
  func reusedThread() async throws {
    var options = ListenOptions()
    options.handshakeTimeout = .milliseconds(100)
    for _ in 0..<3 {
      try await withTransportServer(options) { it in
        let open = try await RawPeer.open(port: it.port)
        let silent = try await RawPeer.connect(port: it.port)
        #expect(try await silent.readToEnd() == 0)
        open.close()
      }
    }
  }

  @Test("Several servers share a loop")
  func severalServers() async throws {
    try await withTransportServer(handler: .echo()) { first in
      let other = RecordingHandler.echo()
      let second = WebSocketServer(on: first.loop, ListenOptions(), handler: other)
      let port = try await second.start()
      #expect(port != first.port)
      let peer = try await RawPeer.open(port: port)
      let staying = try await RawPeer.open(port: first.port)
      let (firstID, _) = try #require(await first.handler.nextOpened())
      let (secondID, _) = try #require(await other.nextOpened())
      #expect(firstID != secondID)
      // A number of the one means nothing to the other.
      await first.onLoop { #expect($0.send(secondID, [0x81, 0]) == .gone) }
      await second.stop()
      #expect(try await peer.readToEnd() == 0)
      #expect(await first.connectionCount == 1)
      staying.close()
    }
  }
}
