/** output-limits: client-output-buffer-limit, per class of clients. */
import type { Client } from './client.ts'
import { type ClientType, clientType } from './client-line.ts'

/** So much may always wait for a client, whatever its limit says. */
export const UNCOUNTED_BYTES = 16 * 1024

export interface OutputLimit {
  /** Bytes; 0 is no limit. */
  readonly hard: number
  readonly soft: number
  readonly softSeconds: number
}

export class OutputLimits {
  private readonly byClass: Record<ClientType, OutputLimit> = { normal: NONE, replica: NONE, pubsub: NONE, master: NONE }

  /** Takes the option's text: `class hard soft seconds` for each class in turn. */
  read(words: readonly string[]): void {
    for (let i = 0; i + 3 < words.length; i += 4) {
      const type = words[i] === 'slave' ? 'replica' : (words[i] as ClientType)
      this.byClass[type] = { hard: Number(words[i + 1]), soft: Number(words[i + 2]), softSeconds: Number(words[i + 3]) }
    }
  }

  /** Bytes that may wait for a client at most. */
  hardOf(c: Client): number {
    return this.of(c).hard || Number.POSITIVE_INFINITY
  }

  of(c: Client): OutputLimit {
    return this.byClass[clientType(c)]
  }
}

const NONE: OutputLimit = { hard: 0, soft: 0, softSeconds: 0 }
