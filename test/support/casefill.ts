/** Writes the oracle's replies into a case file, at the commands that have none (see cases.ts). */
import { readFileSync, writeFileSync } from 'node:fs'
import { type CaseRun, runCase } from './caserun.ts'
import { type Names, render, renderBoth } from './notation.ts'
import { type Oracle, startOlderOracle } from './oracle.ts'
import { parseReply, type Reply } from './resp.ts'
import { arrow, type Case } from './transcript.ts'

const ARROW_COLUMN = 36

export async function fillReplies(file: string, list: Case[], oracle: Oracle, oracleArgs: string[]): Promise<void> {
  const older = await startOlderOracle(oracle.version, ...oracleArgs)
  const lines = readFileSync(file, 'utf8').split('\n')
  try {
    for (const c of list) {
      if (!c.steps.some((step) => step.expected === undefined)) continue
      const replies = await repliesOf(c, oracle)
      const olderReplies = older && !c.mark ? await repliesOf(c, older) : replies
      fillCase(lines, c, replies, olderReplies, older?.version ?? '')
    }
  } finally {
    await older?.stop()
  }
  writeFileSync(file, lines.join('\n'))
}

/** Each step's reply in the notation; undefined where there is nothing to note. */
async function repliesOf(c: Case, oracle: Oracle): Promise<(string | undefined)[]> {
  const runs: CaseRun[] = []
  for (const protocol of c.protocols) runs.push(await runCase(oracle.address, protocol, c))
  return c.steps.map((_, i) => {
    const replies = runs.flatMap(({ outcomes, names }) => (outcomes[i] instanceof Buffer ? [named(outcomes[i], names)] : []))
    if (replies.length < runs.length) return undefined
    return replies.length === 2 ? renderBoth(replies[0], replies[1]) : render(replies[0])
  })
}

/** A reply in which texts that have a ?name appear as $name. */
function named(bytes: Buffer, names: Names): Reply {
  const replace = (reply: Reply): Reply => {
    if ('items' in reply) return { ...reply, items: reply.items.map(replace) }
    const name = 'text' in reply && [...names].find(([, text]) => text === reply.text && text.length > 4)?.[0]
    return name ? { ...reply, text: `$${name}` } : reply
  }
  return replace(parseReply(bytes))
}

function fillCase(lines: string[], c: Case, replies: (string | undefined)[], older: (string | undefined)[], olderVersion: string): void {
  let at = lines.findIndex((line) => line.trim() === c.titleLine) + 1
  for (const [i, step] of c.steps.entries()) {
    const found = lines.findIndex((line, n) => n >= at && line.trim() === step.line)
    if (found < 0) continue // the line holds a ${value}
    at = found + 1
    const reply = replies[i]
    if (step.expected !== undefined) lines[found] = aligned(lines[found])
    if (step.expected !== undefined || step.mark || reply === undefined) continue
    const differs = reply !== older[i] ? `  !7.2 ${olderVersion} gives ${shortened(older[i] ?? 'nothing')}` : ''
    lines[found] = aligned(`${lines[found].trimEnd()} => ${reply}${differs}`)
  }
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60).replace(/ \S*$/, '')} and so on` : text
}

/** The line with its arrow in the common column, if it is short enough. */
function aligned(line: string): string {
  const at = arrow(line)
  return `${line.slice(0, at).trimEnd().padEnd(ARROW_COLUMN)} ${line.slice(at)}`
}
