import ObsWire
import Testing

@testable import ObsServer

@Suite("The breaker of expensive queries")
struct BreakerTests {
  private static let millisecond: UInt64 = 1_000_000

  @Test("an evaluation over the threshold is followed by a pause of four times its cost")
  func pause() {
    var breaker = Breaker(threshold: .milliseconds(20))
    breaker.evaluated(cost: 30 * Self.millisecond, at: 1000)
    let end = 1000 + 120 * Self.millisecond
    #expect(breaker.holdsBack(at: end - 1))
    #expect(breaker.pause(at: end - 5) == 5)
    #expect(!breaker.holdsBack(at: end))
  }

  @Test("an evaluation under the threshold is followed by none")
  func cheap() {
    var breaker = Breaker(threshold: .milliseconds(20))
    breaker.evaluated(cost: 30 * Self.millisecond, at: 1000)
    breaker.evaluated(cost: 20 * Self.millisecond, at: 2000)
    #expect(!breaker.holdsBack(at: 2001))
  }

  @Test("it is behind from the first time it sits out until it has a value of now")
  func standing() {
    var breaker = Breaker(threshold: .zero)
    let standing = [
      breaker.caughtUp(), breaker.satOut(), breaker.satOut(), breaker.caughtUp(),
      breaker.caughtUp(), breaker.satOut(),
    ]
    #expect(standing == [false, true, false, true, false, true])
  }
}

@Suite("The end of a hub")
struct DrainTests {
  @Test("closes are spread over the whole time, and no two clients are sent away together")
  func staggered() {
    for count in [1, 2, 7, 2000] {
      let time: UInt64 = 2_000_000_000
      let moments = Hub.staggered(count, over: time)
      #expect(moments.count == count)
      for (index, moment) in moments.enumerated() {
        let part = time / UInt64(count)
        #expect(moment >= part * UInt64(index) && moment < part * UInt64(index + 1))
      }
    }
    #expect(Hub.staggered(3, over: 0) == [0, 0, 0])
    #expect(Hub.staggered(0, over: 1) == [])
  }
}

@Suite("The rate of operations")
struct RateMeterTests {
  private static let second: UInt64 = 1_000_000_000

  @Test("the burst is free, then the peer is paused until it has a token again")
  func burst() throws {
    var meter = RateMeter(perSecond: 10, burst: 3, now: 0)
    for _ in 0..<3 { _ = meter.take(at: 0) }
    let free = meter.pause(at: 0)
    #expect(free == nil)
    _ = meter.take(at: 0)
    let paused = meter.pause(at: 0)
    let pause = try #require(paused)
    #expect(pause >= Self.second / 10 && pause <= Self.second / 10 + 10)
    let after = meter.pause(at: pause)
    #expect(after == nil)
  }

  @Test("a peer that stays over the rate for five seconds is refused, until it has calmed down")
  func refused() {
    var meter = RateMeter(perSecond: 1, burst: 2, now: 0)
    for _ in 0..<20 { _ = meter.take(at: 0) }
    let taken = [4, 6, 60].map { meter.take(at: $0 * Self.second) }
    #expect(taken == [true, false, true])
  }
}

@Suite("The queue of a stream")
struct StreamQueueTests {
  @Test("events come in order; the end comes after them; a full queue ends with overflow")
  func bounds() throws {
    let queue = StreamQueue(events: 2, bytes: 100, shape: nil) {}
    #expect(queue.push([1]))
    #expect(queue.push([2]))
    #expect(!queue.push([3]))
    #expect(!queue.push([4]))
    for number in [1, 2] as [UInt8] {
      guard case .event(let event, let count) = queue.take() else {
        Issue.record("no event \(number)")
        return
      }
      #expect(event == [number] && count == Int64(number))
    }
    guard case .ended(let error) = queue.take() else {
      Issue.record("no end")
      return
    }
    #expect(error?.code == .overflow)
  }

  @Test("one event larger than the bound may wait alone")
  func large() {
    let queue = StreamQueue(events: 10, bytes: 10, shape: nil) {}
    #expect(queue.push([UInt8](repeating: 0, count: 50)))
    #expect(!queue.push([1]))
  }

  @Test("its signal comes once until it has been found empty")
  func signal() {
    let signals = Counter()
    let queue = StreamQueue(events: 10, bytes: 100, shape: nil) { signals.add(1) }
    _ = queue.push([1])
    _ = queue.push([2])
    #expect(signals.value == 1)
    while queue.take() != nil {}
    _ = queue.push([3])
    #expect(signals.value == 2)
  }
}
