internal import ObsCommandLine
internal import ObsWire

/// The values of options, checked.
extension ArgumentReader {
  /// A whole number of at least `least`.
  mutating func wholeNumber(
    of option: String,
    atLeast least: Int
  ) throws(CommandLineError) -> Int {
    let text = try value(of: option)
    guard let number = Int(text), number >= least else {
      let bound = least > 0 ? "above \(least - 1)" : "from \(least)"
      throw CommandLineError("\(option) must be a whole number \(bound), not `\(text)`")
    }
    return number
  }

  /// A number above 0.
  mutating func positiveNumber(
    of option: String,
    _ what: String
  ) throws(CommandLineError) -> Double {
    let text = try value(of: option)
    guard let number = Double(text), number > 0, number < 1e9 else {
      throw CommandLineError("\(option) must be a number \(what) above 0, not `\(text)`")
    }
    return number
  }

  /// The name of a write: 1 to 64 characters.
  mutating func key(of option: String) throws(CommandLineError) -> String {
    let text = try value(of: option)
    guard (1...LiveOptions.maximumKeyLength).contains(text.unicodeScalars.count) else {
      throw CommandLineError(
        "\(option) must have 1 to \(LiveOptions.maximumKeyLength) characters, not "
          + "\(text.unicodeScalars.count)"
      )
    }
    return text
  }
}
