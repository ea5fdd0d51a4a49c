/**
 * process: what a server that owns its process does with it: working directory, pid file, title, signals, and the report of a crash.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { systemReason } from './engine/config-types.ts'
import type { Server } from './server.ts'

/** Makes the process look as the options say. Returns what undoes it at the end. */
export function settleProcess(server: Server): () => void {
  const { config, log } = server
  process.chdir(config.path('dir'))
  config.onApply('dir', () => {
    process.chdir(config.path('dir'))
    return null
  })
  const setTitle = (): null => {
    if (config.flag('set-proc-title')) process.title = titleOf(server)
    return null
  }
  setTitle()
  config.onApply('proc-title-template', setTitle)
  process.on('uncaughtException', (error) => crash(server, error))
  setTimeout(putServingFirst, COMPILED_MS).unref()
  return writePidFile(config.path('pidfile'), log)
}

/** After so long most of what is needed has been compiled. */
const COMPILED_MS = 10_000
/** How much nicer the other threads are. */
const NICER = 10

/**
 * Has the engine's own threads, which compile and collect, wait for the one that serves. Where all share a processor, one of them kept
 * it waiting for a slice of 3 to 5 ms at a time (measured, Linux 6.18). On Linux a thread has a priority of its own; elsewhere nothing
 * happens.
 */
export function putServingFirst(): void {
  if (process.platform !== 'linux') return
  const niceness = Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICER)
  for (const thread of readdirSync('/proc/self/task')) {
    try {
      if (Number(thread) !== process.pid) setPriority(Number(thread), niceness)
    } catch {
      // not allowed, or it has ended meanwhile
    }
  }
}

function writePidFile(file: string, log: Server['log']): () => void {
  if (file === '') return () => {}
  try {
    writeFileSync(file, `${process.pid}\n`)
  } catch (error) {
    log.warning(`Failed to write PID file: ${systemReason(error)}`)
    return () => {}
  }
  return () => {
    log.notice('Removing the pid file.')
    rmSync(file, { force: true })
  }
}

function titleOf({ config, engine }: Server): string {
  const bind = config.list('bind')[0]?.replace(/^-/, '') ?? '*'
  const values: Record<string, string> = {
    title: 'respd',
    'listen-addr': `${bind}:${config.str('port')}`,
    'server-mode': '',
    port: config.str('port'),
    'tls-port': config.str('tls-port'),
    unixsocket: config.path('unixsocket'),
    'config-file': engine.configFile,
  }
  return config
    .str('proc-title-template')
    .replace(/\{\{|\{([^{}]*)\}/g, (whole, name: string) => (whole === '{{' ? '{' : (values[name] ?? '')))
    .trim()
}

/** An error that nobody caught is a bug: the log gets the stack and the state, and the process ends. */
function crash(server: Server, error: Error): void {
  const { config, engine, log } = server
  if (config.flag('crash-log-enabled')) {
    log.warning('=== BUG REPORT START ===')
    log.warning(`${error.stack ?? String(error)}`)
    const { current } = engine
    if (current !== null)
      log.warning(`While client ${current.id} ran '${current.command?.name ?? '?'}' with ${current.argv.count} arguments`)
    log.warning(`State:\n${engine.info.text(['everything'])}`)
    log.warning('=== BUG REPORT END ===')
  }
  process.exit(1)
}

/** Ends the server when the process is told to; a second time ends it at once. */
export function listenToSignals(stop: (why: string) => void, log: Server['log']): void {
  let told = false
  const onSignal = (name: string): void => {
    if (told && name === 'SIGINT') {
      log.warning('You insist... exiting now.')
      process.exit(1)
    }
    told = true
    stop(`Received ${name} scheduling shutdown...`)
  }
  process.on('SIGTERM', () => onSignal('SIGTERM'))
  process.on('SIGINT', () => onSignal('SIGINT'))
}
