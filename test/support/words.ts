/** Command lines as redis-cli reads them: words, "double quotes" with \n \r \t \b \a \xhh escapes, 'single quotes' with \'. */

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' }

/** A word and where it ends. The text is a binary string (one character per byte). */
export type Word = { text: string; quoted: boolean; end: number }

/** The quoted string at `start` of a binary string. */
export function quotedAt(line: string, start: number): Word {
  const quote = line[start]
  let text = ''
  for (let i = start + 1; i < line.length; i++) {
    const c = line[i]
    if (c === quote) return { text, quoted: true, end: i + 1 }
    if (c !== '\\' || i + 1 === line.length) text += c
    else if (quote === "'") text += line[i + 1] === "'" ? line[++i] : c
    else {
      const hex = /^x([0-9a-fA-F]{2})/.exec(line.slice(i + 1, i + 4))
      if (hex) text += String.fromCharCode(Number.parseInt(hex[1], 16))
      else text += ESCAPES[line[i + 1]] ?? line[i + 1]
      i += hex ? 3 : 1
    }
  }
  throw new Error(`unbalanced quotes: ${line}`)
}

/** UTF-8 text as a binary string. */
export function binary(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** The words of a command line, as binary strings. */
export function words(line: string): Word[] {
  const b = binary(line)
  const found: Word[] = []
  for (let i = 0; i < b.length; ) {
    if (b[i] === ' ') i++
    else if (b[i] === '"' || b[i] === "'") {
      found.push(quotedAt(b, i))
      i = found[found.length - 1].end
    } else {
      let end = i
      while (end < b.length && b[end] !== ' ') end++
      found.push({ text: b.slice(i, end), quoted: false, end })
      i = end
    }
  }
  return found
}

/** A binary string in the double quotes that `words` reads, safe inside a template literal; bare when `isBare` says that is the same. */
export function quote(text: string, isBare = (t: string): boolean => /^[!-_a-~]+$/.test(t) && !/^["']|\$\{/.test(t)): string {
  if (isBare(text)) return text
  const body = text.replace(/[^ !#-[\]-_a-~]|\$(?=\{)/g, (c) => {
    const name = Object.keys(ESCAPES).find((k) => ESCAPES[k] === c)
    if (c === '"' || c === '\\') return `\\${c}`
    return name ? `\\${name}` : `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
  return `"${body}"`
}
