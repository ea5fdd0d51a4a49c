/** cli: what the respd command does: `respd [redis.conf] [--option value ...]`. It does it when it is imported. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { COMMAND_GROUPS } from './commands/index.ts'
import { ConfError, type ConfSource, type Directive, loadConf, parseCommandLine, readConfFile } from './engine/conf-file.ts'
import { Config } from './engine/config.ts'
import { CommandTable } from './engine/table.ts'
import { REDIS_VERSION, RESPD_VERSION } from './engine/version.ts'
import { listenToSignals, settleProcess } from './process.ts'
import { Server } from './server.ts'
import { SystemClock } from './util/clock.ts'

const USAGE = `Usage: respd [/path/to/redis.conf] [options] [-]
       respd - (read the configuration from standard input)
       respd --version
       respd --help

Examples:
       respd (with the default configuration)
       respd /etc/redis/redis.conf
       respd --port 7777
       respd --port 7777 --maxmemory 100mb --maxmemory-policy allkeys-lru
       respd /etc/redis.conf --loglevel verbose -
`

type Renaming = readonly [from: string, to: string]

interface Started {
  readonly config: Config
  /** '' when there is none. */
  readonly file: string
  readonly renamings: readonly Renaming[]
}

function readConfig(given: readonly string[]): Started {
  const config = new Config()
  const { file, stdin, options } = parseCommandLine(given)
  const sources: ConfSource[] = []
  if (file !== null) sources.push(readConfFile(file))
  if (stdin) sources.push({ name: 'standard input', text: readFileSync(0, 'latin1') })
  if (options !== '') sources.push({ name: 'the command line', text: options })
  const renamings: Renaming[] = []
  loadConf(config, sources, directives(renamings), REDIS_VERSION)
  return { config, file: file === null ? '' : path.resolve(file), renamings }
}

/** The lines that are not options. */
function directives(renamings: Renaming[]): Directive {
  const table = new CommandTable()
  for (const [group, rows] of COMMAND_GROUPS) table.add(group, rows)
  return ([name, ...values]) => {
    if (name === 'rename-command' && values.length === 2) {
      const [from, to] = values
      if (table.byName(from) === null) return 'No such command in rename-command'
      if (!table.rename(from, to)) return 'Target command name already exists'
      renamings.push([from, to])
      return null
    }
    if (name === 'loadmodule' && values.length > 0) return 'Modules cannot be loaded: they are programs for another server'
    return undefined
  }
}

async function run({ config, file, renamings }: Started): Promise<void> {
  const server = new Server(config, new SystemClock())
  const { engine, log } = server
  engine.configFile = file
  for (const [from, to] of renamings) engine.table.rename(from, to)
  const leave = settleProcess(server)
  let stopping = false
  const stop = (why: string): void => {
    if (stopping) return
    stopping = true
    log.warning(why)
    server.stop().then(() => {
      leave()
      log.warning('respd is now ready to exit, bye bye...')
      process.exit(0)
    })
  }
  server.onShutdown = () => stop('User requested shutdown...')
  listenToSignals(stop, log)
  introduce(server)
  if (config.num('port') === 0 && config.str('unixsocket') === '') throw new Error('Configured to not listen anywhere, exiting.')
  await server.start()
  log.notice('Server initialized')
  log.warning('Data lives only as long as this process: there is no persistence yet')
  for (const kind of server.listener.kinds) log.notice(`Ready to accept connections ${kind}`)
}

const BANNER = `
   ___ ___ ___ ___  __|   VERSION
  |   |___|___|   ||  |   MODE
  |   |___ ___|___||__|   Port: PORT
              |           PID: PROCESS
`

function banner(config: Config): string {
  return BANNER.replace('VERSION', `respd ${RESPD_VERSION} (Redis ${REDIS_VERSION}), 64 bit`)
    .replace('MODE', 'Running in standalone mode')
    .replace('PORT', config.str('port'))
    .replace('PROCESS', String(process.pid))
}

function introduce({ config, engine, log }: Server): void {
  log.notice(
    `respd ${RESPD_VERSION}, compatible with Redis ${REDIS_VERSION}, on Node.js ${process.versions.node}, PID: ${process.pid}, just started`,
  )
  if (config.flag('always-show-logo') || (process.stdout.isTTY && config.str('logfile') === '')) log.raw(banner(config))
  else log.notice(`Running mode=standalone, port=${config.str('port')}.`)
  if (engine.configFile !== '') log.notice('Configuration loaded')
  else
    log.warning(
      'Warning: no config file specified, using the default config. In order to specify a config file use respd /path/to/redis.conf',
    )
  if (config.flag('daemonize')) log.warning('daemonize: respd stays in the foreground; let a service manager start it')
  const idle = config.withoutEffect().filter((name) => name !== 'daemonize')
  if (idle.length > 0) log.warning(`These options are kept, but have no effect: ${idle.join(', ')}`)
}

function fail(error: unknown): never {
  const text = error instanceof ConfError ? error.report : error instanceof Error ? error.message : String(error)
  process.stderr.write(`${text.trimEnd()}\n`)
  process.exit(1)
}

const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
  process.stdout.write(`respd ${RESPD_VERSION} (Redis ${REDIS_VERSION}) node=${process.versions.node}\n`)
} else if (args.length === 1 && (args[0] === '--help' || args[0] === '-h')) process.stdout.write(USAGE)
else {
  try {
    await run(readConfig(args))
  } catch (error) {
    fail(error)
  }
}
