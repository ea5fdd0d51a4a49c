/**
 * Cases: commands and replies as a transcript, run against respd and, byte for byte, against redis-server, in RESP2 and in RESP3.
 *
 *     import { cases } from '../support/cases.ts'
 *
 *     cases('string')`
 *       ## SET NX leaves an existing key alone
 *       SET k v NX        => +OK
 *       SET k w NX        => nil
 *       GET k             => v
 *     `
 *
 * Every case starts with FLUSHALL and new connections. Replies are written in the notation of notation.ts (read its head; it has patterns for
 * random and unordered replies too). A command line is split as redis-cli splits it ("\x00\xff" for bytes). A line `# ...` is a comment.
 *
 * **Write the commands only, then let redis-server write the replies:** `RESPD_CASES_FILL=1 npx vitest run test/cases/FILE` adds `=> reply` to
 * each command that has none (RESPD_ORACLE=PATH chooses the server; a newer one than the PATH's also marks what the older one answers
 * differently). Then read what it wrote. A command left without `=>` is still compared with redis-server.
 *
 *     GET k => v                           one client, named a
 *     b> BLPOP l 0 => ...                  client b; do not read the reply now (the server has the command before the next step runs)
 *     b> => [l v]                          read b's next message: a late reply, or a push
 *     b> => quiet                          nothing has arrived for b
 *     b> => closed                         the server has closed b's connection
 *     b> .close                            b hangs up
 *     .raw "*1\r\n$4\r\nPING\r\n" => +PONG     bytes as they are
 *     .times 100 LPUSH l x => any          the command that many times; the last reply counts
 *     .config list-max-listpack-size 4     CONFIG SET for this case only
 *     .wait 20                             milliseconds; for what really needs time
 *     XADD s * f v => ?id                  $id in later commands and replies is this text
 *
 * Marks at the end of a line, or of a title for a whole case (which is then not sent to that oracle at all):
 *
 *     OBJECT ENCODING l => listpack  !7.2 small lists are listpacks        an oracle older than 7.2 is not asked
 *     PING => +PONG  !ours reason                                          respd differs on purpose: the oracle is not asked
 *     ## title [resp3]                                                     this protocol only
 *
 * `${...}` puts a value of the program into the transcript, for example a long string.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { fillReplies } from './casefill.ts'
import { type CaseRun, type Outcome, runCase } from './caserun.ts'
import type { Address, Protocol } from './connection.ts'
import { isExact, type Pattern, render } from './notation.ts'
import { type Oracle, useOracle, versionAtLeast } from './oracle.ts'
import { parseReply, show } from './resp.ts'
import { type ServerHolder, type ServerOptions, useServer } from './server.ts'
import { type Case, type Mark, parseTranscript, type Step } from './transcript.ts'

/** Options of `createServer` for respd, and arguments for redis-server's command line. */
export type CaseOptions = { oracle?: string[]; server?: ServerOptions }

/** Declares the cases of a group. */
export function cases(group: string, { oracle: oracleArgs = [], server: options }: CaseOptions = {}) {
  return (strings: TemplateStringsArray, ...values: unknown[]): void => {
    const list = parseTranscript(String.raw(strings, ...values))
    const oracle = useOracle(...oracleArgs)
    if (process.env.RESPD_CASES_FILL) return fillCases(group, list, oracle, oracleArgs)
    const server = useServer(options)
    describe(`${group} cases`, () => {
      for (const c of list) test(c.title, () => check(c, server, oracle.current))
    })
  }
}

function fillCases(group: string, list: Case[], oracle: { current: Oracle | undefined }, oracleArgs: string[]): void {
  describe(`${group} cases`, () => {
    const file = expect.getState().testPath as string
    test('replies filled in by the oracle', () => fillReplies(file, list, oracle.current as Oracle, oracleArgs), 300_000)
    afterAll(() => console.log(`${file}: read the replies before you commit them`))
  })
}

async function check(c: Case, server: ServerHolder, oracle: Oracle | undefined): Promise<void> {
  const problems = new Map<string, Set<Protocol>>()
  for (const protocol of c.protocols) {
    const asked = oracle && applies(c.mark, oracle.version) ? oracle : undefined
    for (const problem of await problemsOf(c, protocol, server.address, asked)) {
      problems.set(problem, (problems.get(problem) ?? new Set()).add(protocol))
    }
  }
  if (problems.size === 0) return
  expect.fail(`${c.title}\n${[...problems].map(([problem, protocols]) => `  RESP${[...protocols].join(' and ')}: ${problem}`).join('\n')}`)
}

async function problemsOf(c: Case, protocol: Protocol, server: Address, oracle: Oracle | undefined): Promise<string[]> {
  const [ours, theirs] = await Promise.all([runCase(server, protocol, c), oracle ? runCase(oracle.address, protocol, c) : undefined])
  const failed = (run: CaseRun | undefined, step: Step) => run?.failures.find((f) => f.step === step)
  return c.steps.flatMap((step, i) => {
    const [a, b] = [ours.outcomes[i], theirs?.outcomes[i]]
    const asked = oracle !== undefined && applies(step.mark, oracle.version)
    const oursFailed = failed(ours, step)
    const theirsFailed = asked ? failed(theirs, step) : undefined
    const differ = asked && comparable(step, a, b) && !same(a, b)
    if (!oursFailed && !theirsFailed && !differ) return []
    const lines = [`${step.line}`, `respd gave         ${describeOutcome(oursFailed?.got ?? a)}`]
    if (differ || theirsFailed) lines.push(`redis-server gave  ${describeOutcome(theirsFailed?.got ?? b)}`)
    return [lines.join('\n      ')]
  })
}

function applies(mark: Mark | undefined, version: string): boolean {
  return !mark || (mark.since !== 'ours' && versionAtLeast(version, `${mark.since}.0`))
}

/** Bytes are compared unless the step's pattern allows several replies. */
function comparable(step: Step, a: Outcome | undefined, b: Outcome | undefined): boolean {
  if (a === undefined || b === undefined) return false // an earlier step has failed
  return step.expected === undefined || (typeof step.expected === 'object' && isExact(step.expected as Pattern))
}

function same(a: Outcome | undefined, b: Outcome | undefined): boolean {
  return a instanceof Buffer && b instanceof Buffer ? a.equals(b) : a === b
}

function describeOutcome(outcome: Outcome | undefined): string {
  if (!(outcome instanceof Buffer)) return String(outcome)
  const text = render(parseReply(outcome))
  return text.length > 2000 ? show(outcome) : text
}
