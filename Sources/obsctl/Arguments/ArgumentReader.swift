/// Splits a command line into options and words, in the order in which they stand.
///
/// `--name value` and `--name=value` mean the same; `--` ends the options; `-h` is `--help`.
struct ArgumentReader {
  enum Argument: Equatable {
    case option(String)
    case word(String)
  }

  private var rest: ArraySlice<String>
  /// The value that stood behind `=` in the option read last.
  private var attached: (option: String, value: String)?
  private var isPastOptions = false

  init(_ arguments: some Sequence<String>) {
    rest = Array(arguments)[...]
  }

  /// The next option or word; nil at the end.
  mutating func next() throws(CommandLineError) -> Argument? {
    if let attached {
      throw CommandLineError("\(attached.option) takes no value, but got `\(attached.value)`")
    }
    guard let argument = rest.popFirst() else { return nil }
    if isPastOptions || argument == "-" || !argument.hasPrefix("-") { return .word(argument) }
    if argument == "--" {
      isPastOptions = true
      return try next()
    }
    if argument == "-h" { return .option("--help") }
    guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") else {
      return .option(argument)
    }
    let option = String(argument[..<equals])
    attached = (option, String(argument[argument.index(after: equals)...]))
    return .option(option)
  }

  /// The value of the option read last.
  mutating func value(of option: String) throws(CommandLineError) -> String {
    if let value = attached?.value {
      attached = nil
      return value
    }
    guard let value = rest.popFirst() else {
      throw CommandLineError("\(option) needs a value behind it")
    }
    return value
  }
}
