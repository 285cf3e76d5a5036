extension Expression {
  /// The names of the language's own functions, in byte order.
  public static var builtInFunctions: [String] { BuiltIn.allCases.map(\.rawValue).sorted() }
}
