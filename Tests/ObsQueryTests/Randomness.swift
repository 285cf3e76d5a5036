import ObsTestSupport

extension SeededGenerator {
  /// One of the elements.
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &self)]
  }
}
