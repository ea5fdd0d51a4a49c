#!/usr/bin/env node
/** The respd command: `respd [redis.conf] [--option value ...]`. The only file with an effect at import. */
import { readFileSync } from 'node:fs'
import { ConfError, loadConf, parseCommandLine, readConfFile, type ConfSource } from './engine/conf-file.ts'
import { Config } from './engine/config.ts'
import { REDIS_VERSION, RESPD_VERSION } from './engine/version.ts'
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

function readConfig(args: readonly string[]): Config {
  const config = new Config()
  const { file, stdin, options } = parseCommandLine(args)
  const sources: ConfSource[] = []
  if (file !== null) sources.push(readConfFile(file))
  if (stdin) sources.push({ name: 'standard input', text: readFileSync(0, 'latin1') })
  if (options !== '') sources.push({ name: 'command line', text: options })
  loadConf(config, sources, undefined, REDIS_VERSION)
  return config
}

async function run(config: Config): Promise<void> {
  process.chdir(config.path('dir'))
  const server = new Server(config, new SystemClock())
  const { log } = server
  let stopping = false
  const stop = (why: string): void => {
    if (stopping) return
    stopping = true
    log.warning(why)
    server.stop().then(() => {
      log.warning('respd is now ready to exit, bye bye...')
      process.exit(0)
    })
  }
  server.onShutdown = () => stop('User requested shutdown...')
  process.on('SIGTERM', () => stop('Received SIGTERM scheduling shutdown...'))
  process.on('SIGINT', () => stop('Received SIGINT scheduling shutdown...'))
  log.notice(
    `respd ${RESPD_VERSION}, compatible with Redis ${REDIS_VERSION}, on Node.js ${process.versions.node}, pid ${process.pid}, just started`,
  )
  await server.start()
  log.notice('Server initialized')
  log.warning('Data lives only as long as this process: there is no persistence yet')
  log.notice('Ready to accept connections tcp')
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
