/** Tables in Markdown, and the numbers in them. */

export type Table = { title: string; head: readonly string[]; rows: readonly (readonly string[])[] }

export function markdown({ title, head, rows }: Table): string {
  const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i].length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |`
  const rule = `| ${widths.map((w, i) => (i === 0 ? '-'.repeat(w) : `${'-'.repeat(w - 1)}:`)).join(' | ')} |`
  return [`**${title}**`, '', line(head), rule, ...rows.map(line), ''].join('\n')
}

export const fixed = (n: number, digits: number): string => (Number.isFinite(n) ? n.toFixed(digits) : '-')
export const ratio = (a: number, b: number): string => fixed(a / b, 2)

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}
