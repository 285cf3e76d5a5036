internal import Synchronization

/// Keeps the data of a handle live: until ``release()`` is called, or nobody holds this object any more.
public final class Retention: Sendable {
  private let onRelease: Mutex<(@Sendable () -> Void)?>

  init(_ onRelease: @escaping @Sendable () -> Void) {
    self.onRelease = Mutex(onRelease)
  }

  deinit {
    release()
  }

  /// Gives the data up now.
  ///
  /// Calling it again does nothing.
  ///
  /// When it was the last retention, the subscription ends at once; the handle keeps its value and becomes stale.
  public func release() {
    let action = onRelease.withLock { onRelease in
      defer { onRelease = nil }
      return onRelease
    }
    action?()
  }
}
