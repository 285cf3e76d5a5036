/// The cells that one evaluation has read.
final class ReadSet {
  private(set) var cells: [Cell] = []
  private let evaluation: UInt64

  init(evaluation: UInt64) { self.evaluation = evaluation }

  /// Makes the running evaluation depend on a cell; once, however often it is read.
  func note(_ cell: Cell) {
    if cell.noted == evaluation { return }
    cell.noted = evaluation
    cell.references += 1
    cells.append(cell)
    cell.read()
  }

  /// Gives the cells back; those that nobody else has read are freed.
  func release() {
    let released = cells
    cells = []
    for cell in released {
      cell.references -= 1
      if cell.references == 0 { cell.group.drop(cell) }
    }
  }
}
