/// A command line that makes no sense: what is wrong with it, and what to do.
struct CommandLineError: Error, Equatable {
  var message: String

  init(_ message: String) {
    self.message = message
  }
}
