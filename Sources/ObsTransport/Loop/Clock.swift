import CUV

/// Monotonic time in the unit that libuv's timers use.
enum Clock {
  /// Nanoseconds since an arbitrary moment, never falling.
  static func nanoseconds() -> UInt64 { uv_hrtime() }

  /// Milliseconds since an arbitrary moment, never falling.
  static func milliseconds() -> UInt64 { uv_hrtime() / 1_000_000 }
}

extension Duration {
  /// Whole milliseconds, rounded up, never negative.
  var milliseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return UInt64(seconds) * 1000
      + UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  /// Whole seconds, rounded up, at least one.
  var wholeSeconds: UInt32 { UInt32(clamping: Swift.max(1, (milliseconds + 999) / 1000)) }
}
