/// Writes the Prometheus text exposition format, version 0.0.4.
struct PrometheusText {
  private(set) var text = ""

  mutating func counter(_ name: String, _ help: String, _ value: Int) {
    head(name, help, "counter")
    text += "\(name) \(value)\n"
  }

  mutating func gauge(_ name: String, _ help: String, _ value: Int) {
    head(name, help, "gauge")
    text += "\(name) \(value)\n"
  }

  /// A counter of seconds, given in nanoseconds.
  mutating func seconds(_ name: String, _ help: String, _ nanoseconds: UInt64) {
    head(name, help, "counter")
    text += "\(name) \(Double(nanoseconds) * 1e-9)\n"
  }

  mutating func counters(
    _ name: String,
    _ help: String,
    label: String,
    _ values: [(label: String, value: Int)]
  ) {
    head(name, help, "counter")
    for (of, value) in values { text += "\(name){\(label)=\"\(escape(of))\"} \(value)\n" }
  }

  mutating func info(_ name: String, _ help: String, _ labels: [(String, String)]) {
    head(name, help, "gauge")
    let list = labels.map { "\($0)=\"\(escape($1))\"" }.joined(separator: ",")
    text += "\(name){\(list)} 1\n"
  }

  mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
    head(name, help, "histogram")
    let (counts, seconds) = histogram.snapshot()
    var total = 0
    for (bound, count) in zip(Histogram.bounds, counts) {
      total += count
      text += "\(name)_bucket{le=\"\(bound)\"} \(total)\n"
    }
    total += counts.last ?? 0
    text += "\(name)_bucket{le=\"+Inf\"} \(total)\n"
    text += "\(name)_sum \(seconds)\n\(name)_count \(total)\n"
  }

  private mutating func head(_ name: String, _ help: String, _ type: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  private func escape(_ label: String) -> String {
    var escaped = ""
    for character in label.unicodeScalars {
      switch character {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
