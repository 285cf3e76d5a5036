/// A page in Prometheus' text format, version 0.0.4, and what is wrong with it.
///
/// Looks for what `promtool check metrics` looks for, and for what the format demands of the order of lines.
struct PrometheusPage {
  /// The type of each family by name.
  private(set) var families: [String: String] = [:]
  /// Each sample by name and labels, as they are written.
  private(set) var samples: [String: Double] = [:]
  /// One sentence for each thing that is wrong.
  private(set) var problems: [String] = []

  private var helps: Set<String> = []
  private var current = ""

  init(_ lines: [String]) {
    for line in lines where !line.isEmpty {
      if line.hasPrefix("#") { readComment(line) } else { readSample(line) }
    }
    for (name, type) in families where type == "histogram" { checkHistogram(name) }
  }

  private mutating func readComment(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 3).map(String.init)
    guard words.count == 4, ["HELP", "TYPE"].contains(words[1]) else {
      problems.append("neither HELP nor TYPE: \(line)")
      return
    }
    let name = words[2]
    if name.wholeMatch(of: /[a-z_:][a-z0-9_:]*/) == nil { problems.append("bad name: \(line)") }
    if words[1] == "HELP" {
      if !helps.insert(name).inserted { problems.append("second HELP of \(name)") }
      return
    }
    if families[name] != nil { problems.append("second TYPE of \(name)") }
    if !helps.contains(name) { problems.append("\(name) has no HELP before its TYPE") }
    if !["counter", "gauge", "histogram"].contains(words[3]) {
      problems.append("bad type: \(line)")
    }
    if words[3] == "counter", !name.hasSuffix("_total") {
      problems.append("\(name) is a counter without _total")
    }
    if words[3] != "counter", name.hasSuffix("_total") {
      problems.append("\(name) ends with _total and is no counter")
    }
    families[name] = words[3]
    current = name
  }

  private mutating func readSample(_ line: String) {
    let form = /([a-z_:][a-z0-9_:]*)(\{(?:[a-z_]+="(?:[^"\\]|\\["\\n])*",?)*\})? (\S+)/
    guard let match = line.wholeMatch(of: form) else {
      problems.append("no sample: \(line)")
      return
    }
    let name = String(match.1)
    let suffixes = families[current] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
    if !suffixes.contains(where: { name == current + $0 }) {
      problems.append("\(name) stands under \(current)")
    }
    guard let value = Double(match.3) else {
      problems.append("no number: \(line)")
      return
    }
    if families[current] != "gauge", value < 0 { problems.append("negative: \(line)") }
    let key = name + (match.2 ?? "")
    if samples.updateValue(value, forKey: key) != nil { problems.append("second \(key)") }
  }

  private mutating func checkHistogram(_ name: String) {
    var buckets: [(bound: Double, count: Double)] = []
    for (key, count) in samples {
      guard let match = key.wholeMatch(of: /(.*)_bucket\{le="(.*)"\}/), match.1 == name else {
        continue
      }
      guard let bound = match.2 == "+Inf" ? .infinity : Double(match.2) else {
        problems.append("no bound: \(key)")
        continue
      }
      buckets.append((bound, count))
    }
    buckets.sort { $0.bound < $1.bound }
    if buckets.last?.bound != .infinity { problems.append("\(name) has no bucket +Inf") }
    for (lower, upper) in zip(buckets, buckets.dropFirst()) where lower.count > upper.count {
      problems.append("\(name): the buckets do not rise at \(upper.bound)")
    }
    if buckets.last?.count != samples[name + "_count"] {
      problems.append("\(name): +Inf is not its count")
    }
    if samples[name + "_sum"] == nil { problems.append("\(name) has no sum") }
  }
}
