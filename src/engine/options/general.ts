/** Options: the process, its log, and what it watches about itself. */
import { choices, directory, oomScores, percentiles, titleTemplate } from '../config-types.ts'
import {
  DENY_LOADING,
  HIDDEN,
  IMMUTABLE,
  INT64_MAX,
  integer,
  MULTI_ARG,
  NO_EFFECT,
  oneOf,
  type OptionGroup,
  PROTECTED,
  SPECIAL,
  special,
  string,
  yesNo,
} from '../option.ts'

const SHUTDOWN_WORDS = ['default', 'save', 'nosave', 'now', 'force']
const shutdownWords = choices(SHUTDOWN_WORDS, (chosen) =>
  chosen.has('save') && chosen.has('nosave') ? "shutdown options SAVE and NOSAVE can't be used simultaneously" : null,
)
const ALLOWED = ['no', 'yes', 'local']
const FACILITIES = ['user', 'local0', 'local1', 'local2', 'local3', 'local4', 'local5', 'local6', 'local7']
const kept = { flags: NO_EFFECT }
const fixed = { flags: IMMUTABLE }
const fixedAndKept = { flags: IMMUTABLE | NO_EFFECT }

export const general: OptionGroup = {
  title: 'General',
  options: [
    yesNo(
      'daemonize',
      'no',
      'Go to the background. respd stays in the foreground and says so once: leave that to your service manager.',
      fixedAndKept,
    ),
    oneOf('supervised', ['upstart', 'systemd', 'auto', 'no'], 'no', 'Report readiness to this supervisor.', fixedAndKept),
    string('pidfile', '', 'File that holds the process id while the server runs. Empty: none.', fixed),
    oneOf('loglevel', ['debug', 'verbose', 'notice', 'warning', 'nothing'], 'notice', 'Least important lines to log.'),
    string('logfile', '', 'File to append the log to. Empty: standard output.', fixed),
    yesNo('syslog-enabled', 'no', 'Log to the system log as well.', fixedAndKept),
    string('syslog-ident', 'redis', 'Name there.', fixedAndKept),
    oneOf('syslog-facility', FACILITIES, 'local0', 'Facility there.', fixedAndKept),
    yesNo('crash-log-enabled', 'yes', 'Write a report with the stack to the log when the server crashes.'),
    yesNo('crash-memcheck-enabled', 'yes', 'Test the memory at a crash.', kept),
    integer('databases', 16, 'Number of databases; SELECT takes 0 up to one less.', { min: 1, flags: IMMUTABLE }),
    special('dir', directory, '', 'Working directory: snapshots, append-only files and relative paths live here.', {
      flags: PROTECTED | DENY_LOADING | SPECIAL,
    }),
    yesNo('always-show-logo', 'no', 'Show the logo at the start even when the log is a file.', fixed),
    yesNo('set-proc-title', 'yes', 'Show state in the title that `ps` prints.', fixed),
    string(
      'proc-title-template',
      '{title} {listen-addr} {server-mode}',
      'That title. Variables: {title} {listen-addr} {server-mode} {port} {tls-port}\n{unixsocket} {config-file}.',
      {
        check: titleTemplate,
      },
    ),
    string('locale-collate', '', 'Locale for sorting texts. Empty: as the environment says.'),
    integer('hz', 10, 'How often a second the server looks after its own affairs: idle clients, expiry, statistics. From 1 to 500.', {
      clamp: [1n, 500n],
    }),
    yesNo('dynamic-hz', 'yes', 'Look after them more often while many clients are connected.'),
    integer('shutdown-timeout', 10, 'Seconds that a shutdown waits for replicas which lag.'),
    special('shutdown-on-sigint', shutdownWords, 'default', 'What SIGINT does: default, or some of save, nosave, now, force.', {
      flags: MULTI_ARG,
    }),
    special('shutdown-on-sigterm', shutdownWords, 'default', 'What SIGTERM does.', { flags: MULTI_ARG }),
    oneOf(
      'enable-protected-configs',
      ALLOWED,
      'no',
      'Who may set protected options (dir, dbfilename) at run time: nobody, everybody, or clients of this machine.',
      fixed,
    ),
    oneOf('enable-debug-command', ALLOWED, 'no', 'Who may use DEBUG.', fixed),
    oneOf('enable-module-command', ALLOWED, 'no', 'Who may use MODULE.', fixed),
    oneOf('oom-score-adj', ['no', 'yes', 'absolute'], 'no', "How Linux' out-of-memory killer should see the process.", {
      synonyms: { relative: 'yes' },
      ...kept,
    }),
    special('oom-score-adj-values', oomScores, '0 200 800', 'Scores for a primary, a replica, and a child process.', {
      flags: MULTI_ARG | NO_EFFECT,
    }),
    yesNo('disable-thp', 'yes', 'Turn transparent huge pages off for the process.', fixedAndKept),
    string('server_cpulist', '', 'Processors for the main thread. Use taskset.', fixedAndKept),
    string('bio_cpulist', '', 'Processors for background threads.', fixedAndKept),
    string('aof_rewrite_cpulist', '', 'Processors for append-only rewrites.', fixedAndKept),
    string('bgsave_cpulist', '', 'Processors for snapshots.', fixedAndKept),
    string('ignore-warnings', '', 'Warnings about the machine that should not stop the start.', kept),
    integer('watchdog-period', 0, 'Milliseconds until a stalled event loop is reported. 0: never.', { flags: HIDDEN | NO_EFFECT }),
    yesNo('use-exit-on-panic', 'no', 'Exit instead of aborting on a failed assertion.', { flags: HIDDEN | NO_EFFECT }),
  ],
}

export const monitoring: OptionGroup = {
  title: 'Slow log and latency',
  options: [
    integer('slowlog-log-slower-than', 10000, 'Log commands that took longer than so many microseconds. 0 logs all, -1 none.', {
      min: -1,
      max: INT64_MAX,
    }),
    integer('slowlog-max-len', 128, 'Entries kept in the slow log.', { max: INT64_MAX }),
    integer('latency-monitor-threshold', 0, 'Record events of so many milliseconds or more for LATENCY. 0: none.', { max: INT64_MAX }),
    yesNo('latency-tracking', 'yes', 'Keep a histogram of the time each command takes.'),
    special('latency-tracking-info-percentiles', percentiles, '50 99 99.9', 'Percentiles that INFO latencystats shows.', {
      flags: MULTI_ARG | SPECIAL,
    }),
  ],
}
