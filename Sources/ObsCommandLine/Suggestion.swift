/// Guesses what was meant by a name that does not exist.
public enum Suggestion {
  /// The candidate that is the fewest typing errors away; nil when none is near.
  ///
  /// Near is one error for each three letters, at least one and at most three. Letter case does not count. Of equally
  /// near candidates the first one wins.
  public static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    let typed = Array(word.lowercased().unicodeScalars)
    // A name of a hundred letters is no typing error of anything, and would cost time.
    guard typed.count <= 64 else { return nil }
    var best: (distance: Int, candidate: String)?
    for candidate in candidates {
      let distance = distance(typed, Array(candidate.lowercased().unicodeScalars))
      let allowed = max(1, min(3, min(typed.count, candidate.count) / 3))
      guard distance <= allowed, distance < best?.distance ?? .max else { continue }
      best = (distance, candidate)
    }
    return best?.candidate
  }

  /// Letters to insert, drop, replace, or exchange with their neighbour.
  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var before: [Int] = []
    var above = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        var cost = min(above[column + 1], current[column]) + 1
        cost = min(cost, above[column] + (left[row] == right[column] ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, before[column - 1] + 1)
        }
        current.append(cost)
      }
      (before, above) = (above, current)
    }
    return above[right.count]
  }
}
