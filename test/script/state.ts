/** A Lua state without a server: a host that knows two commands. */
import { Reply } from '../../src/resp/reply.ts'
import type { ScriptHost } from '../../src/script/host.ts'
import { Runner, SUSPENDED } from '../../src/script/runner.ts'
import { Sandbox } from '../../src/script/sandbox.ts'
import { frameOf, Frame } from '../../src/util/argv.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'
import { sha1Hex } from '../../src/util/sha1.ts'

export interface State {
  /** Runs a script; the reply as text, one character a byte. */
  evaluate(script: string, args?: string[]): string
  readonly runner: Runner
  /** How often the script was suspended. */
  suspensions: number
  /** How often it could not have been. */
  stuck: number
  /** Answers the count hook; default: suspend whenever possible. */
  tick: (mayYield: boolean) => boolean | string
  resp3: boolean
}

export function newState(limitBytes = 64 * 2 ** 20, hookCount = 10_000): State {
  const reply = new Reply()
  const out = new Reply()
  let protocol = 2
  const host: ScriptHost = {
    run(argv: Frame): Reply {
      reply.clear()
      reply.resp3 = protocol === 3
      if (argv.is(0, 'ping')) reply.simple('PONG')
      else if (argv.is(0, 'echo')) reply.bulk(argv.bytes, argv.off(1), argv.len(1))
      else if (argv.is(0, 'map')) {
        reply.map(1)
        reply.text('k')
        reply.double(1.5)
      } else reply.error('ERR Unknown Redis command called from script')
      return reply
    },
    setProtocol: (version) => {
      protocol = version
    },
    setReplication: () => undefined,
    mayRun: () => true,
    logs: () => false,
    log: () => undefined,
    tick: (mayYield) => {
      if (!mayYield) state.stuck++
      return state.tick(mayYield)
    },
  }
  const sandbox = new Sandbox({ host, version: { text: '7.2.4', number: 0x70204 }, limitBytes, hookCount, kind: 'eval' })
  const runner = new Runner(sandbox)
  const state: State = {
    runner,
    suspensions: 0,
    stuck: 0,
    tick: (mayYield) => mayYield,
    resp3: false,
    evaluate(script, args = []) {
      const code = bytesOf(script)
      protocol = 2
      out.clear()
      out.resp3 = state.resp3
      const fn = runner.compile(code, 0, '@user_script')
      if (typeof fn === 'string') return `-ERR Error compiling script (new function): ${fn}\r\n`
      const argv = args.length === 0 ? new Frame() : frameOf(args.map(bytesOf))
      state.suspensions = 0
      state.stuck = 0
      let status = runner.begin(fn, argv, 0, 0, true)
      while (status === SUSPENDED) {
        state.suspensions++
        status = runner.resume()
      }
      runner.finish(sha1Hex(code), out, protocol)
      return latin1(out.buf, 0, out.pos)
    },
  }
  return state
}
