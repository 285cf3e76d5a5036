import ObsCommandLine
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ArgumentReaderTests {
  @Test func `an option that may stand alone takes a value only behind its equals sign`() throws {
    var reader = ArgumentReader(["--memory=false", "--memory", "word"])
    #expect(try reader.next() == .option("--memory"))
    #expect(reader.attachedValue() == "false")
    #expect(try reader.next() == .option("--memory"))
    #expect(reader.attachedValue() == nil)
    #expect(try reader.next() == .word("word"))
    #expect(try reader.next() == nil)
  }

  @Test func `a value that nobody asked for is an error`() throws {
    var reader = ArgumentReader(["--demo=3", "x"])
    #expect(try reader.next() == .option("--demo"))
    #expect(throws: CommandLineError("--demo takes no value, but got `3`")) { try reader.next() }
  }
}
