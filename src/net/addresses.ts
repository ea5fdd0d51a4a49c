/** addresses: what the words of `bind` mean, and how peers are named. */

export interface BindAddress {
  /** As `bind` has it, without a leading "-". */
  readonly shown: string
  readonly host: string
  readonly isV6: boolean
  /** Its absence from this machine is no fault. */
  readonly optional: boolean
}

/** The addresses of `bind`; none given means none. */
export function bindAddresses(words: readonly string[]): BindAddress[] {
  return words.map((word) => {
    const optional = word.startsWith('-')
    const shown = optional ? word.slice(1) : word
    if (shown === '*') return { shown, host: '0.0.0.0', isV6: false, optional }
    if (shown === '::*') return { shown, host: '::', isV6: true, optional }
    return { shown, host: shown, isV6: shown.includes(':'), optional }
  })
}

/** `ip:port`, with brackets around an IPv6 address; an IPv4 address in IPv6 clothes is shown as what it is. */
export function peerName(host: string | undefined, port: number | undefined): string {
  if (host === undefined) return ''
  const plain = host.replace(/^::ffff:/, '')
  return plain.includes(':') ? `[${plain}]:${port}` : `${plain}:${port}`
}

/** Whether the peer of this name is this machine; a Unix socket, whose name is '', is. */
export function isLoopback(name: string): boolean {
  return name === '' || /^127\.|^\[::1\]:/.test(name)
}

const NOT_HERE = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT', 'ENOTFOUND'])

/** Whether a failed bind says that the machine has no such address or protocol. */
export function isAbsent(error: unknown): boolean {
  return NOT_HERE.has((error as NodeJS.ErrnoException).code ?? '')
}
