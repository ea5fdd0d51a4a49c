/**
 * command feed: propagated commands as one stream of bytes, the form that an append-only file and a replica read: each a RESP array of
 * bulk strings, and a SELECT before the first command for another database.
 */
import { Reply } from '../resp/reply.ts'
import type { Frame } from '../util/argv.ts'
import { NO_DB } from './propagate.ts'

export class CommandFeed {
  /** What has been written and not been taken (and cleared) yet. */
  readonly out = new Reply()
  /** The database that the reader has selected. */
  private dbId = NO_DB

  /** Writes one command, as a sink gets it. */
  write(dbId: number, argv: Frame): void {
    if (dbId !== NO_DB && dbId !== this.dbId) this.select(dbId)
    this.out.array(argv.count)
    for (let i = 0; i < argv.count; i++) this.out.bulk(argv.bytes, argv.off(i), argv.len(i))
  }

  /** Begins a new stream, whose reader has selected nothing. */
  restart(): void {
    this.out.clear()
    this.dbId = NO_DB
  }

  private select(dbId: number): void {
    this.dbId = dbId
    this.out.array(2)
    this.out.text('SELECT')
    this.out.text(String(dbId))
  }
}
