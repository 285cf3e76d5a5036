internal import Foundation
internal import ObsCommandLine
internal import ObsConfig
internal import ObsHistory
internal import ObsWire

/// What the document begins with, as `--load` and `--demo` say; read before anything listens.
enum Content {
  /// An empty document.
  case empty
  /// The content of a file.
  case document(name: String, JSON)
  /// ``SwiftEvolution/beginning``, and then the transactions of a history, so many a second.
  case history(HistoryReader, rate: Double)

  /// Reads what the configuration names.
  ///
  /// - Throws: the file and the place in it that is wrong.
  static func read(_ configuration: Configuration) throws(StartError) -> Content {
    if configuration.demo {
      do throws(HistoryError) {
        return .history(try SwiftEvolution.history(), rate: configuration.demoRate)
      } catch { throw StartError(.noInput, "--demo: \(error)") }
    }
    guard let path = configuration.load else { return .empty }
    let bytes: [UInt8]
    do { bytes = [UInt8](try Data(contentsOf: URL(filePath: path))) } catch {
      throw StartError(
        .noInput,
        "\(path) cannot be read: \(FileProblem.reason(error)); --load names a JSON file"
      )
    }
    do throws(JSONError) {
      return .document(name: path, try JSON(parsing: bytes, limits: .unlimited))
    } catch {
      throw StartError(
        .badData,
        "\(path):\(error.line):\(error.column): not JSON: \(error.message)"
      )
    }
  }
}
