/** log: the server's log lines, in Redis' form: `pid:role date time.ms level text`. */
import { appendFileSync } from 'node:fs'

export const LOG_LEVELS = ['debug', 'verbose', 'notice', 'warning', 'nothing'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
const MARKS = ['.', '-', '*', '#', '']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

export class Log {
  level: LogLevel = 'notice'
  /** Path of the log file; '' means standard output. */
  file = ''

  debug(text: string): void {
    this.write(0, text)
  }

  verbose(text: string): void {
    this.write(1, text)
  }

  notice(text: string): void {
    this.write(2, text)
  }

  warning(text: string): void {
    this.write(3, text)
  }

  /** A text of several lines, as it is. */
  raw(text: string): void {
    if (this.level === 'nothing') return
    if (this.file === '') process.stdout.write(`${text}\n`)
    else appendFileSync(this.file, `${text}\n`)
  }

  private write(level: number, text: string): void {
    if (level < LOG_LEVELS.indexOf(this.level)) return
    const line = `${process.pid}:M ${stamp(new Date())} ${MARKS[level]} ${text}\n`
    if (this.file === '') process.stdout.write(line)
    else appendFileSync(this.file, line)
  }
}

function stamp(date: Date): string {
  const two = (n: number): string => String(n).padStart(2, '0')
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`
  return `${two(date.getDate())} ${MONTHS[date.getMonth()]} ${date.getFullYear()} ${time}`
}
