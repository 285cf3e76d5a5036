/// A command line that makes no sense: what is wrong with it, and what to do.
public struct CommandLineError: Error, Equatable {
  /// What is wrong, and what to do.
  public var message: String

  /// Says what is wrong.
  public init(_ message: String) {
    self.message = message
  }
}
