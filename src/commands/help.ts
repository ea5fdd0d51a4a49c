/** The frame around every HELP subcommand's lines. */
import type { Client } from '../engine/client.ts'

/** Answers the lines between the heading that names the command and the two lines on HELP itself. */
export function replyHelp(c: Client, lines: readonly string[]): void {
  const name = (c.command?.parent ?? c.command)?.ownName.toUpperCase() ?? ''
  const all = [`${name} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`, ...lines, 'HELP', '    Print this help.']
  c.reply.array(all.length)
  for (const line of all) c.reply.simple(line)
}
