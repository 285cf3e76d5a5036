import Glibc

/// The clocks of the system, in nanoseconds.
package enum Clocks {
  /// Time that only goes forward, from an arbitrary start.
  package static func monotonic() -> UInt64 { read(CLOCK_MONOTONIC) }

  /// CPU time of this thread.
  package static func threadCPU() -> UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }

  /// Time since 1970.
  package static func wall() -> UInt64 { read(CLOCK_REALTIME) }

  /// A duration in nanoseconds; 0 if it is negative.
  package static func nanoseconds(_ duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    return UInt64(max(0, seconds)) &* 1_000_000_000 &+ UInt64(max(0, attoseconds) / 1_000_000_000)
  }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
}
