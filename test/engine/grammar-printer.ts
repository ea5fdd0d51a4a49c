/** Prints an argument tree, as COMMAND DOCS shows it, as a line of argument grammar; the inverse of parseGrammar(). */

/** One argument in a RESP3 reply of COMMAND DOCS. */
export interface DocsArgument {
  name: string
  type: string
  display_text?: string
  key_spec_index?: number
  token?: string
  since?: string
  deprecated_since?: string
  flags?: string[]
  arguments?: DocsArgument[]
}

export function printGrammar(args: readonly DocsArgument[]): string {
  return printItems(args, ' ', { nextKeySpec: 0 })
}

interface State {
  nextKeySpec: number
}

function printItems(args: readonly DocsArgument[], separator: string, state: State): string {
  let line = ''
  for (const [index, arg] of args.entries()) {
    const following = args[index + 1]
    // A bare token would swallow a value that follows.
    const swallows = separator === ' ' && following && !following.flags?.includes('optional') && following.token === undefined
    line += (index > 0 ? separator : '') + printItem(arg, state, !!swallows)
  }
  return line
}

function printItem(arg: DocsArgument, state: State, swallows: boolean): string {
  const has = (flag: string): boolean => arg.flags?.includes(flag) ?? false
  let text = printBody(arg, state, swallows) + printMarks(arg, state)
  if (has('multiple_token')) text = `(${text})...`
  else if (has('multiple')) text += '...'
  return has('optional') ? `[${text}]` : text
}

function printBody(arg: DocsArgument, state: State, swallows: boolean): string {
  const token = arg.token !== undefined && (/^[A-Z][A-Z0-9._-]*$/.test(arg.token) ? arg.token : `"${arg.token}"`)
  if (arg.type === 'pure-token') {
    const derivable = arg.token?.toLowerCase() === arg.name && token === arg.token && !swallows
    return derivable ? arg.token! : `${arg.name}=${token}`
  }
  const front = token === false ? '' : `${token} `
  if (!arg.arguments) return `${front}${arg.name}:${arg.type}`
  return `${front}${arg.name}(${printItems(arg.arguments, arg.type === 'oneof' ? '|' : ' ', state)})`
}

function printMarks(arg: DocsArgument, state: State): string {
  let marks = ''
  if (!arg.arguments && arg.display_text !== arg.name) marks += `<${arg.display_text}>`
  const implied = arg.type === 'key' ? state.nextKeySpec : undefined
  if (arg.key_spec_index !== implied) marks += `#${arg.key_spec_index}`
  if (arg.key_spec_index !== undefined) state.nextKeySpec = arg.key_spec_index + 1
  if (arg.since || arg.deprecated_since) marks += `@${arg.since ?? ''}`
  if (arg.deprecated_since) marks += `-${arg.deprecated_since}`
  return marks
}
