/** Reads the text of case files into cases and steps. The format is described in cases.ts. */
import type { Protocol } from './connection.ts'
import { type Pattern, parsePattern } from './notation.ts'
import { words } from './words.ts'

export type Expectation = Pattern | 'later' | 'quiet' | 'closed'
/** Which Redis gives the expected reply: a version that the oracle must have, or 'ours' where respd differs on purpose. */
export type Mark = { since: string; reason: string }

export type Step = {
  line: string
  client: string
  action: 'command' | 'raw' | 'read' | 'close' | 'wait' | 'config'
  words: string[]
  times: number
  expected: Expectation | undefined
  mark: Mark | undefined
}

export type Case = { title: string; titleLine: string; protocols: Protocol[]; mark: Mark | undefined; steps: Step[] }

export function parseTranscript(text: string): Case[] {
  const found: Case[] = []
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (line.startsWith('##')) found.push(parseTitle(line))
    else if (line !== '' && !line.startsWith('# ') && line !== '#') {
      const last = found[found.length - 1]
      if (!last) throw new Error(`a step before the first "## title": ${line}`)
      last.steps.push(parseStep(line))
    }
  }
  const titles = new Set(found.map((c) => c.title))
  if (titles.size < found.length) throw new Error(`a title twice: ${found.find((c) => !titles.delete(c.title))?.title}`)
  return found
}

function parseTitle(line: string): Case {
  const [text, mark] = takeMark(line.slice(2).trim())
  const only = /\s*\[resp([23])\]$/.exec(text)
  const protocols: Protocol[] = only ? [Number(only[1]) as Protocol] : [2, 3]
  return { title: text.replace(/\s*\[resp[23]\]$/, ''), titleLine: line, protocols, mark, steps: [] }
}

export function parseStep(line: string): Step {
  const client = /^(\w+)>(?=\s|$)/.exec(line)
  const rest = client ? line.slice(client[0].length).trim() : line
  const split = arrow(rest)
  const [command, commandMark] = split < 0 ? takeMark(rest) : [rest.slice(0, split).trim(), undefined]
  const [reply, replyMark] = split < 0 ? ['', undefined] : takeMark(rest.slice(split + 2).trim())
  const step: Step = {
    line,
    client: client?.[1] ?? 'a',
    action: command === '' ? 'read' : 'command',
    words: words(command).map((w) => w.text),
    times: 1,
    expected: split < 0 ? undefined : parseExpectation(reply, line),
    mark: commandMark ?? replyMark,
  }
  return command.startsWith('.') ? directive(step) : step
}

function parseExpectation(reply: string, line: string): Expectation {
  if (reply === '...') return 'later'
  if (reply === 'quiet' || reply === 'closed') return reply
  try {
    return parsePattern(reply)
  } catch (error) {
    throw new Error(`cannot read the reply of: ${line}`, { cause: error })
  }
}

function directive(step: Step): Step {
  const [name, ...rest] = step.words
  if (name === '.times') return { ...step, times: Number(rest[0]), words: rest.slice(1) }
  const action = name.slice(1)
  if (action === 'raw' || action === 'close' || action === 'wait' || action === 'config') return { ...step, action, words: rest }
  throw new Error(`no such directive: ${step.line}`)
}

/** Where the `=>` outside of quotes is, or -1. */
export function arrow(line: string): number {
  let quoteMark = ''
  for (let i = 0; i < line.length; i++) {
    const c = line[i]
    if (quoteMark) {
      if (c === '\\') i++
      else if (c === quoteMark) quoteMark = ''
    } else if ((c === '"' || c === "'") && (i === 0 || line[i - 1] === ' ')) quoteMark = c
    else if (c === '=' && line[i + 1] === '>' && (i === 0 || line[i - 1] === ' ') && (line[i + 2] ?? ' ') === ' ') return i
  }
  return -1
}

function takeMark(text: string): [string, Mark | undefined] {
  const match = / +!(\d+\.\d+|ours) (.+)$/.exec(text)
  return match ? [text.slice(0, match.index), { since: match[1], reason: match[2] }] : [text, undefined]
}
