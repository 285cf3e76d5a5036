import Observation

/// The cells that one evaluation has read.
///
/// To Observation it is one property: its price (1.5 µs to register an object, as much to forget it) is paid once an
/// evaluation, however many cells there are.
final class ReadSet: Observable {
  private(set) var cells: [Cell] = []
  private let evaluation: UInt64
  private let registrar = ObservationRegistrar()
  private var hasFired = false

  /// What the registrar is asked about.
  private var state: Bool { false }

  /// Makes the running `Observations` closure depend on what will be read.
  init(evaluation: UInt64) {
    self.evaluation = evaluation
    registrar.access(self, keyPath: \.state)
  }

  /// Makes the evaluation depend on a cell; once, however often it is read.
  func note(_ cell: Cell) {
    if cell.noted == evaluation { return }
    cell.noted = evaluation
    cell.add(self)
    cells.append(cell)
  }

  /// Wakes the query; once, since its next evaluation reads anew.
  func fire() {
    guard !hasFired else { return }
    hasFired = true
    registrar.withMutation(of: self, keyPath: \.state) {}
  }

  /// Gives the cells back; those that nobody else has read are freed.
  func release() {
    let released = cells
    cells = []
    for cell in released { cell.remove(self) }
  }
}
