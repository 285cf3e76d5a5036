/// What a backslash means in text between single quotes, where the two specifications of JMESPath contradict each other.
public enum RawStringEscapes: Sendable {
  /// Only `\'` is an escape; two backslashes are two backslashes (JEP-12, the official suite).
  case official
  /// `\\` is an escape, too (Community's JEP-12 and its suite).
  case community
}
