/** Options: snapshots and append-only files. */
import { fileName, savePoints } from '../config-types.ts'
import {
  DENY_LOADING,
  HIDDEN,
  IMMUTABLE,
  integer,
  memory,
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

export const snapshots: OptionGroup = {
  title: 'Snapshots',
  waiting: true,
  options: [
    special(
      'save',
      savePoints,
      '3600 1 300 100 60 10000',
      'Save when so many seconds have passed and so many keys have changed; several pairs. "" saves never.',
      {
        flags: MULTI_ARG | SPECIAL,
      },
    ),
    yesNo('stop-writes-on-bgsave-error', 'yes', 'Refuse writes while the last snapshot failed.'),
    yesNo('rdbcompression', 'yes', 'Compress strings in snapshots.'),
    yesNo('rdbchecksum', 'yes', 'End snapshots with a checksum.', { flags: IMMUTABLE }),
    string('dbfilename', 'dump.rdb', 'Name of the snapshot in `dir`.', {
      flags: PROTECTED,
      check: fileName('dbfilename', 'filename', true),
    }),
    yesNo('rdb-del-sync-files', 'no', 'Delete snapshots that served replication, when nothing else needs them.'),
    yesNo('rdb-save-incremental-fsync', 'yes', 'Let the disk write along while a snapshot is written.'),
    integer('rdb-key-save-delay', 0, 'Microseconds to wait per key while saving.', { min: -2147483648, flags: HIDDEN }),
    memory('loading-process-events-interval-bytes', 2 * 1024 ** 2, 'How much is loaded between two looks at the clients.', {
      min: 1024,
      max: 2147483647,
      flags: HIDDEN,
    }),
  ],
}

export const appendOnly: OptionGroup = {
  title: 'Append-only file',
  waiting: true,
  options: [
    yesNo('appendonly', 'no', 'Log every write, so that little is lost in a crash.', { flags: DENY_LOADING }),
    string('appendfilename', 'appendonly.aof', 'How the names of its files begin.', {
      flags: IMMUTABLE,
      check: fileName('appendfilename', 'filename', false),
    }),
    string('appenddirname', 'appendonlydir', 'Directory for them in `dir`.', {
      flags: IMMUTABLE,
      check: fileName('appenddirname', 'dirname', false),
    }),
    oneOf(
      'appendfsync',
      ['everysec', 'always', 'no'],
      'everysec',
      'When the disk must have it: once a second, before the reply, or when the system likes.',
    ),
    yesNo('no-appendfsync-on-rewrite', 'no', 'Do not wait for the disk while a rewrite or a snapshot keeps it busy.'),
    integer('auto-aof-rewrite-percentage', 100, 'Rewrite it when it grew by so many per cent. 0: never by itself.'),
    memory('auto-aof-rewrite-min-size', 64 * 1024 ** 2, 'But not below this size.'),
    yesNo('aof-load-truncated', 'yes', 'Load one whose end is missing.'),
    yesNo('aof-use-rdb-preamble', 'yes', 'Begin a rewritten one with a snapshot.'),
    yesNo('aof-timestamp-enabled', 'no', 'Write the time into it.'),
    yesNo('aof-rewrite-incremental-fsync', 'yes', 'Let the disk write along while it is rewritten.'),
    yesNo('aof-disable-auto-gc', 'no', 'Keep files that are no longer needed.', { flags: HIDDEN | NO_EFFECT }),
  ],
}
