/// The texts of `--help` that are not of one command.
enum Help {
  static let version = "obsctl 0.1.0"

  static func text(_ command: (any Command.Type)?) -> String { command?.help ?? overview }

  private static let overview = """
    obsctl: ask an obs server anything, watch the answers change, and change its document.

    USAGE
      obsctl watch    'EXPR' [--var name=value …]   the values of live queries, as they change
      obsctl get      'EXPR' [--var name=value …]   the value of a query now
      obsctl explain  'EXPR' [--var name=value …]   what a query reads and costs, and what causes each value
      obsctl check    'EXPR' [FILE|-]               offline: is it right, and what does it make of a file
      obsctl patch    [FILE|-]                      applies a JSON Patch to the document
      obsctl merge    POINTER [FILE|-]              applies a JSON Merge Patch at a place
      obsctl import   FILE|- [--at POINTER]         puts a large file into the document
      obsctl export   [POINTER] [FILE]              writes the document, or a part of it
      obsctl backup   FILE|-                        copies the data of a running server
      obsctl replay   FILE|- [--rate N]             applies a history, one commit a line
      obsctl call     NAME [--var name=value …]     one answer of a command registered in Swift
      obsctl events   NAME [--var name=value …]     the events of a stream, every one
      obsctl describe                               what there is to ask
      obsctl COMMAND --help                         more about one of them

    EXAMPLES
      obsctl describe
      obsctl watch 'length(values(issues)[?state == $s])' --var s=open
      obsctl get 'issues.i01.title' --format value
      echo '[{"op": "replace", "path": "/issues/i01/state", "value": "closed"}]' | obsctl patch
      obsctl check 'issues[?state = open]'

    OPTIONS OF ALL COMMANDS (`check` has no server)
      --url URL         the server; default $OBS_URL, else \(Invocation.defaultURL)
      --token TOKEN     shown to the server; default $OBS_TOKEN (which does not appear in `ps`)
      --format FORMAT   ndjson: one JSON object a line, with what was asked, data and rev
                        value: one JSON value a line, nothing else
                        pretty: JSON over several lines, for people
      --timeout S       give up after S seconds, with exit code 75
      --ca FILE         for wss: trust the certificates in this PEM file
      --insecure        for wss: accept any certificate (for trying things out only)
      --help, --version

    EXIT CODES
        0  done: the answer came, --count was reached, the server had no more to say, or nobody reads any more
       64  the command line makes no sense
       65  bad data: an expression, a document or a patch, refused here or by the server
       66  a file cannot be read
       69  nobody answers at the address
       70  something that should not happen, here or at the server
       73  a file cannot be written
       75  --timeout was over
       77  the server wants another token
      130  Ctrl-C

    """

  /// The options of commands that ask.
  static let variables = """
      --var name=value         the value of $name; what is JSON is sent as JSON, anything else as text
      --vars JSON              all of them as a JSON object
                               (they belong to the query before them)
    """

  /// The options of commands that write.
  static let writing = """
      --if-seq N               refuse with `conflict` if what is touched was changed after place N of the log
      --key KEY                names this commit: with the same key it is done once, however often it is sent;
                               by default a random one, so that a lost connection does it no harm
    """

  /// The last line of options.
  static let common = "  the options of all commands: see `obsctl --help`"
}
