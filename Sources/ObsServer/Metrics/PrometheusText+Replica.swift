import ObsLog
import ObsReplica

extension PrometheusText {
  /// What a replica and its log have done.
  mutating func add(_ replica: Replica) {
    let (now, log) = (replica.now, replica.logCounters)
    counter("obs_commits_total", "Commits that were accepted, replayed ones included.", now.applied)
    counter(
      "obs_commits_refused_total",
      "Commits that were refused when they were applied.",
      now.refused
    )
    counter("obs_log_commits_total", "Commits written to the log.", log.commits)
    counter(
      "obs_log_flushes_total",
      "Batches of commits written to the log, one fsync each.",
      log.batches
    )
    counter("obs_log_written_bytes_total", "Bytes of these commits.", log.bytes)
    seconds("obs_log_flush_seconds_total", "Time of these fsyncs.", log.flushNanoseconds)
    gauge("obs_log_bytes", "Size of the log without snapshots.", now.logBytes)
    gauge(
      "obs_log_trouble",
      "1 while commits are refused because of the log.",
      now.trouble == nil ? 0 : 1
    )
    gauge("obs_answers_remembered", "Answers to idempotency keys.", now.remembered)
    counter(
      "obs_idempotent_hits_total",
      "Commits that were answered from memory.",
      now.idempotentHits
    )
    gauge("obs_snapshot_bytes", "Size of the newest snapshot.", now.snapshotBytes)
    if let at = now.snapshotAt {
      let age = (ContinuousClock.now - at) / .seconds(1)
      gauge("obs_snapshot_age_seconds", "Since the newest snapshot was written.", Int(age))
    }
    gauge("obs_replayed_commits", "Commits that were replayed at the start.", now.replayed)
    gauge(
      "obs_replay_milliseconds",
      "Time of loading and replaying at the start.",
      Int(now.replaySeconds * 1000)
    )
  }
}
