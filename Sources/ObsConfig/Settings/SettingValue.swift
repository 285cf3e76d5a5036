/// The value of a setting; nil where a setting has none.
public enum SettingValue: Hashable, Sendable {
  /// Text, a path, or one of several words.
  case text(String)
  /// True or false.
  case toggle(Bool)
  /// A count, or a size in bytes.
  case whole(Int)
  /// A number with a fraction.
  case number(Double)
  /// A time.
  case time(Duration)
  /// Several texts.
  case list([String])
}
