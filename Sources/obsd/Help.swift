internal import ObsConfig
internal import ObsServer

/// The text of `--help`.
enum Help {
  static let version = "obsd \(Server.version)"

  static let text = """
    obsd: live derived queries over WebSocket, as a daemon.

    USAGE
      obsd [OPTIONS]                          serves until SIGTERM or Ctrl-C
      obsd verify [DIR]                       checks every page, the chain, and that a replay gives the snapshots
      obsd restore FILE [--data DIR]          makes a new data directory of a backup (`obsctl backup`)
      obsd check-config [OPTIONS]             what the configuration comes to, or all that is wrong with it
      obsd check-config --print-defaults      a configuration file to begin with

    EXAMPLES
      obsd                                    on ws://127.0.0.1:8080/ws, data in ./obs-data
      obsd --demo                             eleven years of Swift Evolution, replayed again and again
      obsd --load data.json --port 0          a new document that begins with yours, on any free port
      obsd check-config --print-defaults > obsd.yaml
      obsd check-config --config obsd.yaml && obsd --config obsd.yaml
      OBS_LOG_LEVEL=debug obsd --memory

    When obsd is ready it writes one line to standard output, `listening on ws://HOST:PORT/ws`. Its log goes to
    standard error, one JSON object a line. SIGTERM and Ctrl-C drain: clients are told to come back (close 1012),
    then obsd ends; a second signal ends it at once. SIGHUP reads the configuration again and takes over log.level.

    OPTIONS
      --config FILE   the configuration file, YAML; default $OBS_CONFIG, else none
      --help, --version

    SETTINGS (with their defaults)
      Each can stand in the configuration file, in the environment or here. A flag wins over the environment,
      the environment over the file. `--port 80` is OBS_SERVER_PORT=80 and `port: 80` below `server:`;
      docs/CONFIGURATION.md lists all three names of each. --NAME=VALUE is the same as --NAME VALUE.

    \(FlagList.text)
    EXIT CODES
        0  drained after a signal; check-config: the configuration is right
       64  the command line makes no sense
       65  the file of --load is not JSON; the data directory or the backup is damaged, or of a newer version
       66  the file of --load, or the data of --demo, cannot be read
       69  the address cannot be listened on: taken, not of this machine, or not allowed; or another obsd uses the
           data directory
       70  something that should not happen
       74  the disk refuses to be read or written
       78  the configuration is wrong; standard error has every mistake with its place

    """
}
