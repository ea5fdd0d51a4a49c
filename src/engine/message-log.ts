/**
 * message-log: the messages of one turn of the event loop, written once for all who get them.
 *
 * Most subscribers get a run of neighbouring messages in a turn, and nothing else: for them the run itself is sent.
 *
 *   log     | message 1 | message 2 | message 3 | ...
 *   client      sharedFrom ^                    ^ sharedTo
 *
 * (1) A client has either a run or bytes in its own writer, never both; whatever does not continue the run is copied behind it there.
 * (2) A client with a run is awake (engine.wake), so when the turn has been sent nobody has one and the log is empty again.
 * (3) A turn that publishes more than SHARED_MAX (a script can) must not pile it all up here: what comes behind is copied to each client,
 *     whose own writer has a limit, and leaves the log again.
 * (4) Bytes that a write still holds are not written over: the log then takes a new buffer.
 */
import { Reply } from '../resp/reply.ts'
import type { Client } from './client.ts'

const START_BYTES = 16 * 1024
const SHARED_MAX = 16 << 20

export class MessageLog extends Reply {
  /** A write that has not ended holds the buffer. */
  lent = false

  constructor() {
    super(START_BYTES)
  }

  /** Gives the client the message in [from, pos); false when it cannot share it. */
  share(c: Client, from: number): boolean {
    if (from > 0 && this.pos > SHARED_MAX) return false
    if (c.shared === this && c.sharedTo === from) {
      c.sharedTo = this.pos
      return true
    }
    if (c.shared !== null || c.ownLength > 0) return false
    c.shared = this
    c.sharedFrom = from
    c.sharedTo = this.pos
    return true
  }

  /** The message in [from, pos) has been delivered. */
  delivered(from: number): void {
    if (from > 0 && this.pos > SHARED_MAX) this.pos = from
  }

  /** All runs have been sent. */
  reset(): void {
    if (this.pos === 0) return
    if (this.lent) this.replace()
    else this.clear()
    this.lent = false
  }
}
