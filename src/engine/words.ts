/**
 * words: a line of text cut into words, with quotes, as redis.conf and users' command lines write them.
 *
 *   "a b\n\x00\""   escapes: \n \r \t \b \a \xHH, and any other character for itself
 *   'a b\''         no escape but \'
 *
 * A closing quote is followed by a blank or the end of the line. Texts hold one character per byte.
 */

const BLANK = /[\s\0]/
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' }

/** The words of a line, or null when its quotes do not balance. */
export function splitWords(line: string): string[] | null {
  const words: string[] = []
  let at = 0
  for (;;) {
    while (at < line.length && BLANK.test(line[at])) at++
    if (at >= line.length) return words
    let word = ''
    while (at < line.length && !BLANK.test(line[at])) {
      if (line[at] !== '"' && line[at] !== "'") {
        word += line[at++]
        continue
      }
      const quoted = readQuoted(line, at)
      if (quoted === null) return null
      word += quoted.text
      at = quoted.end
    }
    words.push(word)
  }
}

function readQuoted(line: string, start: number): { text: string; end: number } | null {
  const quote = line[start]
  let text = ''
  for (let at = start + 1; at < line.length; at++) {
    const char = line[at]
    if (char === quote) {
      const end = at + 1
      return end < line.length && !BLANK.test(line[end]) ? null : { text, end }
    }
    if (char !== '\\') {
      text += char
    } else if (quote === "'") {
      text += line[at + 1] === "'" ? line[++at] : char
    } else {
      const hex = /^x[0-9a-fA-F]{2}/.exec(line.slice(at + 1, at + 4))
      if (hex) {
        text += String.fromCharCode(Number.parseInt(hex[0].slice(1), 16))
        at += 3
      } else if (at + 1 < line.length) {
        const escaped = line[++at]
        text += ESCAPES[escaped] ?? escaped
      } else {
        text += char
      }
    }
  }
  return null
}

const REPR: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\x07': '\\a',
  '\b': '\\b',
}

/** What stands in quotes for something else than itself. */
const QUOTED = /[^ !#-[\]-~]/g
/** Replacing notes every place at once: of a long word that is done piece by piece. */
const PIECE = 1 << 16

/** A word in double quotes that splitWords reads back. */
export function quoteWord(word: string): string {
  let out = '"'
  for (let at = 0; at < word.length; at += PIECE) out += word.slice(at, at + PIECE).replace(QUOTED, quoted)
  return `${out}"`
}

function quoted(char: string): string {
  return REPR[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`
}

/** A word as a file may hold it: in quotes only where it needs them. */
export function plainOrQuoted(word: string): string {
  return /^[\x21-\x7e]+$/.test(word) && !/["'\\]/.test(word) && !word.startsWith('#') ? word : quoteWord(word)
}
