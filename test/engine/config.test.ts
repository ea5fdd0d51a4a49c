import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ConfError, loadConf, parseCommandLine, readConfFile } from '../../src/engine/conf-file.ts'
import { Config } from '../../src/engine/config.ts'
import { quoteWord, splitWords } from '../../src/engine/words.ts'
import recorded from '../data/config-7.2.6.json' with { type: 'json' }

describe('the table', () => {
  test('has the names and defaults of Redis 7.2.6', () => {
    const shown = Object.fromEntries(new Config().matching(['*']))
    for (const name of ['dir', 'port', 'pidfile', 'daemonize', 'save']) delete shown[name]
    expect(shown).toEqual(recorded)
  })

  test('knows the default of what the record leaves out', () => {
    const config = new Config()
    expect(config.str('save')).toBe('3600 1 300 100 60 10000')
    expect(config.num('port')).toBe(6379)
    expect(config.str('pidfile')).toBe('')
  })
})

describe('CONFIG GET', () => {
  test('shows a name as it was asked for, hidden ones only by name', () => {
    const config = new Config()
    expect(config.matching(['MaxMemory'])).toEqual([['MaxMemory', '0']])
    expect(config.matching(['watchdog-period'])).toEqual([['watchdog-period', '0']])
    expect(config.matching(['watchdog*', 'nonsense'])).toEqual([])
    expect(config.matching(['maxmem*', 'maxmemory']).length).toBe(5)
  })
})

describe('CONFIG SET', () => {
  const wrong = (pairs: [string, string][]) => new Config().set(pairs)?.reply.replace(/^ERR CONFIG SET failed \(possibly related to /, '')

  test('takes units, percentages, words in any case and several pairs', () => {
    const config = new Config()
    const pairs: [string, string][] = [
      ['maxmemory', '100MB'],
      ['maxmemory-clients', '5%'],
      ['maxmemory-policy', 'ALLKEYS-lru'],
      ['appendonly', 'YES'],
    ]
    expect(config.set(pairs)).toBeNull()
    expect(config.num('maxmemory')).toBe(104857600)
    expect(config.num('maxmemory-clients')).toBe(-5)
    expect(config.str('maxmemory-policy')).toBe('allkeys-lru')
    expect(config.flag('appendonly')).toBe(true)
  })

  test.each([
    ['maxmemory', '1tb', 'argument must be a memory value'],
    ['maxmemory-clients', '101%', 'percentage argument must be less or equal to 100'],
    ['maxmemory-clients', 'x', 'argument must be a memory or percent value'],
    ['timeout', '-1', 'argument must be between 0 and 2147483647 inclusive'],
    ['timeout', '01', "argument couldn't be parsed into an integer"],
    ['appendonly', 'maybe', "argument must be 'yes' or 'no'"],
    ['loglevel', 'loud', 'argument(s) must be one of the following: debug, verbose, notice, warning, nothing'],
    ['unixsocket', 'x', "can't set immutable config"],
    ['save', '1', 'Invalid save parameters'],
    ['notify-keyspace-events', 'y', "Invalid event class character. Use 'Ag$lshzxeKEtmdn'."],
    ['client-output-buffer-limit', 'normal 1 2', 'Wrong number of arguments in buffer limit configuration.'],
    ['client-output-buffer-limit', 'wrong 10mb 10mb 60', 'Invalid client class specified in buffer limit configuration.'],
    ['client-output-buffer-limit', 'normal 10mb x 60', 'Error in hard, soft or soft_seconds setting in buffer limit configuration.'],
    ['oom-score-adj-values', '1 2 -2001', 'Invalid oom-score-adj-values, elements must be between -2000 and 2000.'],
    ['shutdown-on-sigint', 'save nosave', "shutdown options SAVE and NOSAVE can't be used simultaneously"],
    ['dir', '/no/such/place', 'No such file or directory'],
    ['proc-title-template', '{nonsense}', 'template format is invalid or contains unknown variables'],
    ['dbfilename', 'a/b', "dbfilename can't be a path, just a filename"],
    ['latency-tracking-info-percentiles', '101', 'latency-tracking-info-percentiles parameters should sit between [0.0,100.0]'],
  ])('%s %s is refused', (name, value, reason) => {
    expect(wrong([[name, value]])).toBe(`argument '${name}') - ${reason}`)
  })

  test('changes nothing when one of the pairs is wrong', () => {
    const config = new Config()
    expect(
      config.set([
        ['timeout', '5'],
        ['hz', 'x'],
      ])?.reply,
    ).toContain("'hz'")
    expect(config.num('timeout')).toBe(0)
    expect(
      wrong([
        ['timeout', '5'],
        ['TIMEOUT', '6'],
      ]),
    ).toBe("argument 'TIMEOUT') - duplicate parameter")
    expect(
      config.set([
        ['timeout', '5'],
        ['nope', '6'],
      ])?.reply,
    ).toBe("ERR Unknown option or number of arguments for CONFIG SET - 'nope'")
  })

  test('puts everything back when applying fails', () => {
    const config = new Config()
    const applied: number[] = []
    config.onApply('port', () => {
      applied.push(config.num('port'))
      return config.num('port') === 7 ? 'Unable to listen on this port. Check server logs.' : null
    })
    expect(
      config.set([
        ['timeout', '5'],
        ['port', '7'],
      ])?.reply,
    ).toBe("ERR CONFIG SET failed (possibly related to argument 'port') - Unable to listen on this port. Check server logs.")
    expect([config.num('timeout'), config.num('port'), applied]).toEqual([0, 6379, [7, 6379]])
  })

  test('shows structured values in their fixed form', () => {
    const config = new Config()
    const shown = (name: string, value: string) => (config.set([[name, value]]), config.str(name))
    expect(shown('notify-keyspace-events', 'KEA')).toBe('AKE')
    expect(shown('notify-keyspace-events', 'mEgn')).toBe('gnEm')
    expect(shown('client-output-buffer-limit', 'replica 1mb 2k 3')).toBe('normal 0 0 0 slave 1048576 2000 3 pubsub 33554432 8388608 60')
    expect(shown('shutdown-on-sigterm', 'force NOW')).toBe('now force')
    expect(shown('latency-tracking-info-percentiles', '50.000 99.95')).toBe('50 99.95')
    expect(shown('oom-score-adj', 'relative')).toBe('yes')
    expect(shown('save', '')).toBe('')
    expect(shown('hz', '1000')).toBe('500')
  })
})

describe('redis.conf', () => {
  let dir: string
  beforeEach(() => {
    dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'respd-conf-')))
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  const load = (text: string, config = new Config()) => (loadConf(config, [{ name: 'test.conf', text }], undefined, '7.2.4'), config)
  const mistakeIn = (text: string) => {
    try {
      load(text)
    } catch (error) {
      return (error as ConfError).report
    }
    return 'no mistake'
  }

  test('quotes, escapes, comments, blank lines, any case, several values', () => {
    const config = load(
      '# a comment\n\n  PORT  7000 \r\nrequirepass "a \\x41\\n\\"b"\nlogfile \'it\\\'s\'\nbind 127.0.0.1 -::1\nsave 1 2 3 4\nsave 5 6',
    )
    expect(config.num('port')).toBe(7000)
    expect(config.str('requirepass')).toBe('a A\n"b')
    expect(config.str('logfile')).toBe("it's")
    expect(config.list('bind')).toEqual(['127.0.0.1', '-::1'])
    expect(config.str('save')).toBe('1 2 3 4 5 6')
  })

  test('the first save line replaces the default, `""` clears what came before', () => {
    expect(load('save 5 6').str('save')).toBe('5 6')
    expect(load('save 5 6\nsave ""').str('save')).toBe('')
    expect(load('save "100 1 20 2"').str('save')).toBe('100 1 20 2')
  })

  test('include, with wildcards, relative to dir', () => {
    mkdirSync(path.join(dir, 'conf.d'))
    writeFileSync(path.join(dir, 'conf.d', 'b.conf'), 'timeout 2\n')
    writeFileSync(path.join(dir, 'conf.d', 'a.conf'), 'timeout 1\nhz 20\n')
    writeFileSync(path.join(dir, 'conf.d', '.hidden.conf'), 'nonsense')
    const config = load(`dir ${dir}\ninclude conf.d/*.conf\ninclude ${dir}/none*.conf`)
    expect([config.num('timeout'), config.num('hz')]).toEqual([2, 20])
    expect(mistakeIn(`include ${dir}/none.conf`)).toBe(`Fatal error, can't open config file '${dir}/none.conf': No such file or directory`)
    writeFileSync(path.join(dir, 'circle.conf'), 'include circle.conf')
    expect(mistakeIn(`dir ${dir}\ninclude circle.conf`)).toContain('include goes in circles')
  })

  test('a mistake names the file, the line and the reason', () => {
    expect(mistakeIn('port 1\n\n  timeout no ')).toBe(
      "\n*** FATAL CONFIG FILE ERROR (Redis 7.2.4) ***\nReading test.conf, at line 3\n>>> 'timeout no'\nargument couldn't be parsed into an integer",
    )
    expect(mistakeIn('nonsense 1')).toContain('Bad directive or wrong number of arguments')
    expect(mistakeIn('port')).toContain('wrong number of arguments')
    expect(mistakeIn('requirepass "a')).toContain('Unbalanced quotes in configuration line')
    expect(mistakeIn('cluster-enabled yes\nreplicaof a 1')).toContain('replicaof directive not allowed in cluster mode')
  })

  test.runIf(process.platform === 'linux')('the file that Debian ships is read', () => {
    const file = '/etc/redis/redis.conf'
    try {
      readConfFile(file)
    } catch {
      return
    }
    const config = new Config()
    loadConf(config, [readConfFile(file), { name: 'the command line', text: parseCommandLine(['--dir', dir]).options }])
    expect(config.flag('daemonize')).toBe(true)
  })
})

describe('the command line', () => {
  test.each([
    [['a.conf', '--port', '7000'], { file: 'a.conf', stdin: false, options: 'port "7000" ' }],
    [['--port 7000', '--save', '--hz', '5'], { file: null, stdin: false, options: 'port 7000 \nsave ""\nhz "5" ' }],
    [['--save'], { file: null, stdin: false, options: 'save ""' }],
    [
      ['--bind', '127.0.0.1', '::1', '--requirepass', '--x'],
      { file: null, stdin: false, options: 'bind "127.0.0.1" "::1" \nrequirepass "--x" ' },
    ],
    [['-'], { file: null, stdin: true, options: '' }],
    [['a.conf', '--hz', '5', '-'], { file: 'a.conf', stdin: true, options: 'hz "5" ' }],
  ])('%j', (words, expected) => {
    const { options, ...rest } = parseCommandLine(words)
    expect({ ...rest, options: options.replaceAll(/ +"/g, ' "') }).toEqual(expected)
  })
})

describe('words', () => {
  test('quoting is undone by splitting', () => {
    const word = Array.from({ length: 256 }, (_, i) => String.fromCharCode(i)).join('')
    expect(splitWords(`${quoteWord(word)} x`)).toEqual([word, 'x'])
  })
  test('a quote inside a word, and one that something follows', () => {
    expect(splitWords('a"b c"')).toEqual(['ab c'])
    expect(splitWords('"a"b')).toBeNull()
    expect(splitWords(' ')).toEqual([])
  })
})
