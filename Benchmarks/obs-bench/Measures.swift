import Foundation
import Glibc
import ObsModel
import ObsWire

// What the benchmarks read of the system, and how they print what they found.

enum Clock {
  /// Time that only goes forward; the load generator stamps and reads the same clock.
  static func nanoseconds() -> UInt64 { read(CLOCK_MONOTONIC) }

  /// CPU time of this process, all threads together.
  static func processCPU() -> UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// CPU time that a piece of work takes, the process's threads together.
struct Stopwatch {
  private let start = Clock.processCPU()

  var nanoseconds: UInt64 { Clock.processCPU() - start }
  var microseconds: Double { Double(nanoseconds) / 1e3 }
  var milliseconds: Double { Double(nanoseconds) / 1e6 }
}

/// What the process holds in memory.
func residentKiB() -> Int {
  let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
  let pages = text?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  return (pages ?? 0) * 4
}

/// Prints one result as one line.
func report(_ figures: JSON.Object) {
  print(String(decoding: JSON.object(figures).encoded, as: UTF8.self))
  fflush(nil)
}

extension JSON {
  /// A measured figure with two digits behind the point.
  static func rounded(_ figure: Double) -> JSON { .double((figure * 100).rounded() / 100) }

  static func count(_ figure: Int) -> JSON { .int(Int64(figure)) }
}

/// Waits until the actor has had a turn for what is pending.
@ObsActor
func nextTurn() async {
  await Task.yield()
  await Task.yield()
}

/// The middle one.
func median<Figure: Comparable>(_ figures: [Figure]) -> Figure {
  figures.sorted()[figures.count / 2]
}
