/// The functions of the language.
enum BuiltIn: String, CaseIterable {
  // JMESPath.
  case abs, avg, ceil, contains
  case endsWith = "ends_with"
  case floor, join, keys, length, map, max
  case maxBy = "max_by"
  case merge, min
  case minBy = "min_by"
  case notNull = "not_null"
  case reverse, sort
  case sortBy = "sort_by"
  case startsWith = "starts_with"
  case sum
  case toArray = "to_array"
  case toNumber = "to_number"
  case toString = "to_string"
  case type, values

  // JMESPath Community.
  case items
  case fromItems = "from_items"
  case zip
  case groupBy = "group_by"
  case findFirst = "find_first"
  case findLast = "find_last"
  case lower, upper, trim
  case trimLeft = "trim_left"
  case trimRight = "trim_right"
  case padLeft = "pad_left"
  case padRight = "pad_right"
  case replace, split

  // Ours.
  case lookup, any, all
}

extension BuiltIn {
  /// How many arguments it takes.
  var signature: FunctionSignature {
    switch self {
    case .abs, .avg, .ceil, .floor, .keys, .length, .max, .min, .reverse, .sort, .sum, .toArray,
      .toNumber, .toString, .type, .values, .items, .fromItems, .lower, .upper:
      .exactly(1)
    case .contains, .endsWith, .join, .map, .maxBy, .minBy, .sortBy, .startsWith, .groupBy, .lookup,
      .any, .all:
      .exactly(2)
    case .merge, .notNull, .zip: FunctionSignature(minimum: 1, maximum: nil)
    case .findFirst, .findLast: FunctionSignature(minimum: 2, maximum: 4)
    case .trim, .trimLeft, .trimRight: FunctionSignature(minimum: 1, maximum: 2)
    case .padLeft, .padRight, .split: FunctionSignature(minimum: 2, maximum: 3)
    case .replace: FunctionSignature(minimum: 3, maximum: 4)
    }
  }

  /// Which argument is an `&expression`.
  var referenceIndex: Int? {
    switch self {
    case .map: 0
    case .sortBy, .maxBy, .minBy, .groupBy, .any, .all: 1
    default: nil
    }
  }

  /// Which argument the `&expression` is evaluated for, element by element.
  var iteratedIndex: Int? { referenceIndex.map { 1 - $0 } }

  /// Whether it walks over its arguments, so that its cost grows with them.
  var walks: Bool {
    switch self {
    case .avg, .contains, .join, .keys, .max, .merge, .min, .reverse, .sort, .sum, .toString,
      .values,
      .items, .fromItems, .zip:
      true
    default: false
    }
  }
}
