import Testing

@testable import ObsConfig

@Suite(.timeLimit(.minutes(5)))
struct UnitsTests {
  @Test(arguments: [
    ("0", 0), ("4096", 4096), ("12B", 12), ("1kB", 1000), ("1KiB", 1024), ("2MB", 2_000_000),
    ("4MiB", 4 << 20), ("1GB", 1_000_000_000), ("1GiB", 1 << 30), ("2 MiB", 2 << 20),
  ])
  func `sizes are read`(text: String, bytes: Int) {
    #expect(Size.bytes(text, in: 0...(1 << 40)) == bytes)
  }

  @Test(arguments: [
    "", "MiB", "-1", "+1", "1.5MiB", "1mib", "1K", "1 000", "١KiB", "99999999999999999999",
    "9223372036854775807GiB", "0x10",
  ])
  func `what is no size is refused`(text: String) {
    #expect(Size.bytes(text, in: 0...Int.max) == nil)
  }

  @Test(arguments: [
    (0, "0"), (1, "1"), (1000, "1kB"), (1024, "1KiB"), (1_000_000, "1MB"), (1 << 20, "1MiB"),
    (256 * 1024, "256KiB"), (1025, "1025"),
  ])
  func `sizes are written in the largest unit that fits`(bytes: Int, text: String) {
    #expect(Size.text(bytes) == text)
    #expect(Size.bytes(text, in: 0...Int.max) == bytes)
  }

  @Test(
    arguments: [
      ("0", .zero), ("0s", .zero), ("500ms", .milliseconds(500)), ("10s", .seconds(10)),
      ("2m", .seconds(120)), ("24h", .seconds(86400)), ("10 s", .seconds(10)),
    ] as [(String, Duration)]
  )
  func `times are read`(text: String, duration: Duration) {
    #expect(TimeText.duration(text, in: .zero ... .seconds(86400)) == duration)
  }

  @Test(arguments: ["", "10", "s", "-1s", "1.5s", "1d", "1S", "25h", "99999999999999999h"])
  func `what is no time is refused`(text: String) {
    #expect(TimeText.duration(text, in: .zero ... .seconds(86400)) == nil)
  }

  @Test(
    arguments: [
      (.zero, "0s"), (.milliseconds(1), "1ms"), (.milliseconds(1500), "1500ms"),
      (.seconds(90), "90s"), (.seconds(120), "2m"), (.seconds(3600), "1h"),
    ] as [(Duration, String)]
  )
  func `times are written in the largest unit that fits`(duration: Duration, text: String) {
    #expect(TimeText.text(duration) == text)
  }

  @Test(arguments: ["", "nan", "inf", "-1", "1e400", "0x1p3", "1,5", "1 ", "--1"])
  func `what is no number is refused`(text: String) {
    #expect(NumberText.number(text, in: 0...1000) == nil)
  }

  @Test(arguments: [
    ("https://app.example", true), ("http://localhost:3000", true), ("app.example", false),
    ("https://", false), ("https://a.example/", false), ("https://a.example/path", false),
    ("://a", false), ("https://kim@a.example", false), ("https://ä.example", false),
    ("null", false),
    ("*", false),
  ])
  func `an origin is a scheme and a host, as browsers send it`(text: String, isOrigin: Bool) {
    #expect(SettingKind.isOrigin(text) == isOrigin)
  }
}
