/** Every error text that more than one command answers, byte for byte as Redis words it. */

export const WRONGTYPE = 'WRONGTYPE Operation against a key holding the wrong kind of value'
export const SYNTAX_ERROR = 'ERR syntax error'
export const NO_SUCH_KEY = 'ERR no such key'
export const NOT_AN_INTEGER = 'ERR value is not an integer or out of range'
export const NOT_A_FLOAT = 'ERR value is not a valid float'
export const OUT_OF_RANGE = 'ERR value is out of range'
export const MUST_BE_POSITIVE = 'ERR value is out of range, must be positive'
export const INDEX_OUT_OF_RANGE = 'ERR index out of range'
export const OVERFLOW = 'ERR increment or decrement would overflow'
export const NAN_OR_INFINITY = 'ERR increment would produce NaN or Infinity'
export const STRING_TOO_LONG = 'ERR string exceeds maximum allowed size (proto-max-bulk-len)'
export const OFFSET_OUT_OF_RANGE = 'ERR offset is out of range'
export const SAME_OBJECT = 'ERR source and destination objects are the same'
export const BAD_DB_INDEX = 'ERR DB index is out of range'
export const NOREPLICAS = 'NOREPLICAS Not enough good replicas to write.'
export const OOM = "OOM command not allowed when used memory > 'maxmemory'."
export const NOAUTH = 'NOAUTH Authentication required.'
export const WRONGPASS = 'WRONGPASS invalid username-password pair or user is disabled.'
export const EXECABORT = 'EXECABORT Transaction discarded because of previous errors.'
export const MASTER_DOWN = "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."
export const LOADING_DATASET = 'LOADING Redis is loading the dataset in memory'

/** `name` is the command's full name in lower case, `config|get` for a subcommand. */
export function wrongArity(name: string): string {
  return `ERR wrong number of arguments for '${name}' command`
}

/** What C prints of a text: up to its first zero byte. */
export function cText(text: string): string {
  const end = text.indexOf('\0')
  return end < 0 ? text : text.slice(0, end)
}

/** The text shows at most 128 characters of the name and of the arguments, as Redis does. */
export function unknownCommand(name: string, args: readonly string[]): string {
  let shown = ''
  for (const arg of args) {
    if (shown.length >= 128) break
    shown += `'${cText(arg).slice(0, 128 - shown.length)}' `
  }
  return `ERR unknown command '${cText(name).slice(0, 128)}', with args beginning with: ${shown}`
}

export function unknownSubcommand(subcommand: string, container: string): string {
  return `ERR unknown subcommand '${cText(subcommand).slice(0, 128)}'. Try ${container.toUpperCase()} HELP.`
}

/** A subcommand that exists, with more or fewer arguments than it takes. */
export function wrongSubcommand(subcommand: string, container: string): string {
  return `ERR unknown subcommand or wrong number of arguments for '${subcommand.slice(0, 128)}'. Try ${container.toUpperCase()} HELP.`
}

export function invalidExpire(name: string): string {
  return `ERR invalid expire time in '${name}' command`
}
