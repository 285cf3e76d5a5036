internal import Foundation
internal import ObsCommandLine
public import ObsWire

/// The public history of the Swift Evolution proposals, which is shipped with the programs.
///
/// 1,817 transactions, 2015 to 2026; Data/README.md says where it is from.
public enum SwiftEvolution {
  /// What the document is before the first transaction.
  public static let beginning: JSON = ["proposals": [:]]

  /// Opens the history.
  ///
  /// - Throws: ``HistoryError`` when the data are not beside the program.
  public static func history() throws(HistoryError) -> HistoryReader {
    do throws(HistoryError) {
      return try HistoryReader(path: path(of: "swift-evolution-history.ndjson"))
    } catch {
      throw HistoryError(file: error.file, message: error.message + advice)
    }
  }

  /// What all transactions together give, from a file of its own.
  ///
  /// - Throws: ``HistoryError`` when the data are not beside the program.
  public static func outcome() throws(HistoryError) -> JSON {
    let path = path(of: "swift-evolution.json")
    let bytes: [UInt8]
    do { bytes = [UInt8](try Data(contentsOf: URL(filePath: path))) } catch {
      throw HistoryError(
        file: path,
        message: "cannot be read: \(FileProblem.reason(error))" + advice
      )
    }
    do throws(JSONError) { return try JSON(parsing: bytes, limits: .unlimited) } catch {
      throw HistoryError(file: path, line: error.line, column: error.column, message: error.message)
    }
  }

  private static let advice = "; the folder obs_ObsHistory.resources belongs beside the program"

  /// A file of the resource folder that SwiftPM puts beside the program.
  private static func path(of name: String) -> String {
    Bundle.main.bundleURL.appending(path: "obs_ObsHistory.resources/Data/\(name)").path
  }
}
