/// How much JSON is accepted, checked before any of it is parsed.
public struct JSONLimits: Sendable, Hashable {
  /// The most bytes a text may have.
  ///
  /// Default 256 KiB, the limit for a client's message (PROTOCOL.md, limits).
  public var maximumBytes: Int

  /// The deepest nesting of arrays and objects.
  ///
  /// A text without any has depth 0. Default 64.
  /// More than 2048 cannot be asked for: that is jansson's own bound.
  public var maximumDepth: Int

  /// Makes limits; what is not given has its default.
  public init(maximumBytes: Int = 256 * 1024, maximumDepth: Int = 64) {
    self.maximumBytes = maximumBytes
    self.maximumDepth = maximumDepth
  }

  /// Everything the parser itself can do: any size, nesting up to 2048.
  ///
  /// For trusted texts.
  public static let unlimited = JSONLimits(maximumBytes: .max, maximumDepth: .max)
}
