/** Runs one case against one server and notes what came back for each step. */
import { type Address, Connection, type Protocol } from './connection.ts'
import { matches, type Names, valueOf } from './notation.ts'
import { type Argument, parseReply, plain } from './resp.ts'
import type { Case, Step } from './transcript.ts'

/** The exact bytes of a reply, or a word for what happened instead. */
export type Outcome = Buffer | string
export type Failure = { step: Step; got: Outcome }
export type CaseRun = { outcomes: Outcome[]; failures: Failure[]; names: Names }

const QUIET_MS = 20

export async function runCase(address: Address, protocol: Protocol, c: Case): Promise<CaseRun> {
  const run = new Run(address, protocol, await Connection.open(address))
  try {
    return await run.all(c)
  } finally {
    await run.end()
  }
}

class Run {
  readonly #address: Address
  readonly #protocol: Protocol
  readonly #control: Connection
  readonly #clients = new Map<string, Connection>()
  readonly #names: Names = new Map()
  readonly #settings = new Map<string, string>() // what `.config` has to put back

  constructor(address: Address, protocol: Protocol, control: Connection) {
    this.#address = address
    this.#protocol = protocol
    this.#control = control
  }

  async all(c: Case): Promise<CaseRun> {
    await this.#control.get('FLUSHALL')
    const outcomes: Outcome[] = []
    const failures: Failure[] = []
    for (const step of c.steps) {
      try {
        outcomes.push(await this.#step(step))
      } catch (error) {
        failures.push({ step, got: (error as Error).message })
        break
      }
      const got = outcomes[outcomes.length - 1]
      if (!this.#asExpected(step, got)) failures.push({ step, got })
    }
    return { outcomes, failures, names: this.#names }
  }

  async end(): Promise<void> {
    for (const client of this.#clients.values()) client.close()
    for (const [name, value] of this.#settings) await this.#control.call('CONFIG', 'SET', name, value)
    this.#control.close()
  }

  async #step(step: Step): Promise<Outcome> {
    switch (step.action) {
      case 'wait':
        await new Promise((resolve) => setTimeout(resolve, Number(step.words[0])))
        return 'waited'
      case 'config':
        return this.#configure(step.words[0], step.words[1])
      case 'close':
        this.#clients.get(step.client)?.close()
        this.#clients.delete(step.client)
        await this.#barrier()
        return 'hung up'
      default:
        return this.#exchange(step, await this.#client(step.client))
    }
  }

  async #exchange(step: Step, client: Connection): Promise<Outcome> {
    const args: Argument[] = step.words.map((w) => Buffer.from(valueOf(w, this.#names), 'latin1'))
    for (let i = 0; i < step.times - 1; i++) {
      client.send(...args)
      await client.readRaw()
    }
    if (step.action === 'command') client.send(...args)
    if (step.action === 'raw') client.write(Buffer.concat(args as Buffer[]))
    if (step.expected === 'later') {
      await this.#barrier()
      return 'later'
    }
    if (step.expected === 'closed') return (await client.closes()) ? 'closed' : 'still open'
    if (step.expected !== 'quiet') return client.readRaw()
    await this.#barrier()
    return (await client.quiet(QUIET_MS)) ? 'quiet' : client.readRaw()
  }

  #asExpected(step: Step, got: Outcome): boolean {
    const { expected } = step
    if (expected === undefined) return true
    if (typeof expected === 'string') return expected === got
    return got instanceof Buffer && matches(expected, parseReply(got), this.#protocol, this.#names)
  }

  async #client(name: string): Promise<Connection> {
    const known = this.#clients.get(name)
    if (known) return known
    const client = await Connection.open(this.#address, this.#protocol)
    this.#clients.set(name, client)
    return client
  }

  /** After this the server has read what was written before: bytes on the loopback arrive in the order in which they were sent. */
  async #barrier(): Promise<void> {
    await this.#control.call('PING')
    await this.#control.call('PING')
  }

  async #configure(name: string, value: string): Promise<Outcome> {
    const before = plain(await this.#control.call('CONFIG', 'GET', name)) as string[]
    if (!this.#settings.has(name)) this.#settings.set(name, before[1])
    await this.#control.get('CONFIG', 'SET', name, value)
    return 'configured'
  }
}
