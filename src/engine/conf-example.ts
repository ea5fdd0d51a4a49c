/** conf-example: the text of redis.conf.example, made from the option table. `npm run conf` writes it. */
import { OPTION_GROUPS } from './config-options.ts'
import { HIDDEN, NO_EFFECT, type Option } from './option.ts'
import { plainOrQuoted } from './words.ts'

const HEAD = `# Options of respd, each with its default. Generated from the option table: change it there.
#
#   respd /path/to/redis.conf [--option value ...]
#
# One option per line: a name and its values; values with blanks stand in double quotes, where \\n \\t \\" \\\\ \\xHH are escapes, or in
# single quotes. Sizes take units: 1k is 1000 bytes, 1kb 1024, likewise m, mb, g, gb. A later line wins over an earlier one, and the
# command line over the file.
#
# include /path/to/other.conf      reads another file at this place; * ? [] are wildcards
# rename-command NAME NEWNAME      renames a command; "" removes it
# user NAME RULE...                defines a user
`

export function exampleConf(): string {
  const groups = OPTION_GROUPS.map(({ title, options }) => {
    const shown = options.filter(({ flags }) => (flags & HIDDEN) === 0)
    return `${'#'.repeat(20)} ${title}\n\n${shown.map(entry).join('\n')}`
  })
  return `${HEAD}\n${groups.join('\n')}`
}

function entry(option: Option): string {
  const { name, alias, words, flags, comment } = option
  const notes = [
    words && `One of: ${words.join(', ')}.`,
    alias && `Older name: ${alias}.`,
    flags & NO_EFFECT && 'Kept and shown, without effect in respd.',
  ]
  const text = [...comment.split('\n'), ...notes.filter(Boolean)].map((line) => `# ${line}\n`).join('')
  return `${text}${values(option)
    .map((value) => `${commentedOut(option)}${name} ${value}\n`)
    .join('')}`
}

/** What only makes sense with a value of the user's stands as a comment. */
function commentedOut({ name, default: text }: Option): string {
  return text === '' || name === 'bind' ? '# ' : ''
}

function values({ name, default: text }: Option): string[] {
  if (name === 'dir') return ['./']
  if (text === '') return ['""']
  if (name === 'save') return pairs(text, 2)
  if (name === 'client-output-buffer-limit') return pairs(text, 4)
  return name === 'proc-title-template' ? [plainOrQuoted(text)] : [text]
}

function pairs(text: string, size: number): string[] {
  const words = text.split(' ')
  return Array.from({ length: words.length / size }, (_, i) => words.slice(i * size, (i + 1) * size).join(' '))
}
