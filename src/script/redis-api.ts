/** The table `redis` of scripts: call, pcall, error_reply, status_reply, log, setresp, set_repl, sha1hex, acl_check_cmd and constants. */
import { sha1Hex } from '../util/sha1.ts'
import { writeLatin1 } from '../util/bytes.ts'
import { Frame } from '../util/argv.ts'
import { writeInt } from '../util/int64.ts'
import { pushError, pushReply } from './from-resp.ts'
import type { ScriptHost } from './host.ts'
import * as lay from './layout.ts'
import { formatArgument, castInt32 } from './numbers.ts'
import { untilZero } from './to-resp.ts'
import type { Builtin, LuaVm } from './vm.ts'

const NUMBER_BYTES = 32
const FIRST_ARGUMENTS = 256

export interface Version {
  text: string
  number: number
}

/** Name of each function of `redis`, and what it does. */
export type Library = [name: string, fn: Builtin][]

/** Commands that scripts run, from the Lua stack to the host and back. */
export class CommandBridge {
  private readonly vm: LuaVm
  private readonly host: ScriptHost
  private readonly argv = new Frame(FIRST_ARGUMENTS)
  /** Where numbers among the arguments are spelled out, NUMBER_BYTES each. */
  private numbers = 0
  private room = 0
  private running = false

  constructor(vm: LuaVm, host: ScriptHost) {
    this.vm = vm
    this.host = host
  }

  /** redis.call and redis.pcall. */
  call(L: number, raise: boolean): number {
    const { vm } = this
    const problem = this.collect(L)
    if (problem !== '') return this.refuse(L, problem, raise)
    if (this.running) return this.refuse(L, 'redis.call inside of redis.call', raise)
    this.running = true
    let failed = true
    try {
      const reply = this.host.run(this.argv)
      failed = reply.buf[0] === 0x2d
      vm.lua.lua_settop(L, 0)
      pushReply(vm, L, reply)
    } finally {
      this.running = false
    }
    return raise && failed ? vm.lua.lua_error(L) : 1
  }

  /** redis.acl_check_cmd */
  mayRun(L: number): number {
    const problem = this.collect(L)
    if (problem !== '') return this.refuse(L, problem, true)
    const allowed = this.host.mayRun(this.argv)
    if (allowed === undefined) return this.refuse(L, 'Invalid command passed to redis.acl_check_cmd()', true)
    this.vm.lua.lua_pushboolean(L, allowed ? 1 : 0)
    return 1
  }

  private refuse(L: number, message: string, raise: boolean): number {
    pushError(this.vm, L, `ERR ${message}`, false)
    return raise ? this.vm.lua.lua_error(L) : 1
  }

  /** Makes the frame of all arguments on the stack; answers what is wrong with them, or ''. */
  private collect(L: number): string {
    const { vm, argv } = this
    const count = vm.top(L)
    if (count === 0) return 'Please specify at least one argument for this redis lib call'
    argv.reserve(count - 1)
    argv.count = count
    let value = vm.at(L, 1)
    for (let i = 0; i < count; i++, value += lay.TVALUE_SIZE) {
      const tag = vm.tag(value)
      if (tag === lay.STRING) {
        argv.offsets[i] = vm.stringBytes(value)
        argv.lengths[i] = vm.stringLength(value)
      } else if (tag === lay.NUMBER) {
        if (count > this.room && !this.makeRoom(count)) return 'not enough memory'
        this.spell(i, vm.number(value))
      } else {
        return 'Lua redis lib command arguments must be strings or integers'
      }
    }
    argv.bytes = vm.u8
    return ''
  }

  private spell(i: number, n: number): void {
    const { vm, argv } = this
    const at = this.numbers + i * NUMBER_BYTES
    const end = Number.isSafeInteger(n) ? writeInt(vm.u8, at, n) : writeLatin1(vm.u8, at, formatArgument(n))
    argv.offsets[i] = at
    argv.lengths[i] = end - at
  }

  private makeRoom(count: number): boolean {
    const { lua } = this.vm
    const room = Math.max(64, count)
    const numbers = lua.malloc(room * NUMBER_BYTES)
    if (numbers === 0) return false
    if (this.numbers !== 0) lua.free(this.numbers)
    this.numbers = numbers
    this.room = room
    return true
  }
}

function raiseError(vm: LuaVm, L: number, message: string): number {
  pushError(vm, L, `ERR ${message}`, false)
  return vm.lua.lua_error(L)
}

function singleText(vm: LuaVm, L: number): string | undefined {
  return vm.top(L) === 1 && vm.type(L, 1) === lay.STRING ? vm.stringText(L, 1) : undefined
}

function errorReply(vm: LuaVm, L: number): number {
  const text = singleText(vm, L)
  if (text === undefined) pushError(vm, L, 'ERR wrong number or type of arguments', false)
  else pushError(vm, L, untilZero(text).replace(/^-/, ''), false)
  return 1
}

function statusReply(vm: LuaVm, L: number): number {
  if (singleText(vm, L) === undefined) {
    pushError(vm, L, 'ERR wrong number or type of arguments', false)
    return 1
  }
  vm.lua.lua_createtable(L, 0, 1)
  vm.lua.lua_pushvalue(L, 1)
  vm.setField(L, 'ok')
  return 1
}

function sha1hex(vm: LuaVm, L: number): number {
  if (vm.top(L) !== 1) return raiseError(vm, L, 'wrong number of arguments')
  const bytes = vm.copyString(L, 1) ?? new Uint8Array(0)
  vm.pushText(L, sha1Hex(bytes))
  return 1
}

function logMessage(vm: LuaVm, L: number, host: ScriptHost): number {
  const count = vm.top(L)
  if (count < 2) return raiseError(vm, L, 'redis.log() requires two arguments or more.')
  if (vm.lua.lua_isnumber(L, 1) === 0) return raiseError(vm, L, 'First argument must be a number (log level).')
  const level = castInt32(vm.lua.lua_tonumber(L, 1))
  if (level < 0 || level > 3) return raiseError(vm, L, 'Invalid debug level.')
  if (!host.logs(level)) return 0
  let message = ''
  for (let i = 2; i <= count; i++) {
    const part = vm.stringText(L, i)
    if (part !== undefined) message += i === 2 ? part : ` ${part}`
  }
  host.log(level, message)
  return 0
}

function setProtocol(vm: LuaVm, L: number, host: ScriptHost): number {
  if (vm.top(L) !== 1) return raiseError(vm, L, 'redis.setresp() requires one argument.')
  const version = castInt32(vm.lua.lua_tonumber(L, 1))
  if (version !== 2 && version !== 3) return raiseError(vm, L, 'RESP version must be 2 or 3.')
  host.setProtocol(version)
  return 0
}

function setReplication(vm: LuaVm, L: number, host: ScriptHost): number {
  if (vm.top(L) !== 1) return raiseError(vm, L, 'redis.set_repl() requires one argument.')
  const targets = castInt32(vm.lua.lua_tonumber(L, 1))
  if ((targets & ~3) !== 0) {
    return raiseError(vm, L, 'Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.')
  }
  host.setReplication(targets)
  return 0
}

function pushBoolean(vm: LuaVm, L: number, b: number): number {
  vm.lua.lua_pushboolean(L, b)
  return 1
}

/** redis.log and its levels, and the version: what functions see while their library is loaded, too. */
export function logLibrary(host: ScriptHost): Library {
  return [['log', (vm, L) => logMessage(vm, L, host)]]
}

export const LOG_LEVELS: [string, number][] = [
  ['LOG_DEBUG', 0],
  ['LOG_VERBOSE', 1],
  ['LOG_NOTICE', 2],
  ['LOG_WARNING', 3],
]

export const REPLICATION_TARGETS: [string, number][] = [
  ['REPL_NONE', 0],
  ['REPL_AOF', 1],
  ['REPL_SLAVE', 2],
  ['REPL_REPLICA', 2],
  ['REPL_ALL', 3],
]

/** The functions of both EVAL and FCALL, besides `log`. */
export function commandLibrary(bridge: CommandBridge, host: ScriptHost): Library {
  return [
    ['call', (_, L) => bridge.call(L, true)],
    ['pcall', (_, L) => bridge.call(L, false)],
    ['error_reply', errorReply],
    ['status_reply', statusReply],
    ['sha1hex', sha1hex],
    ['setresp', (vm, L) => setProtocol(vm, L, host)],
    ['set_repl', (vm, L) => setReplication(vm, L, host)],
    ['acl_check_cmd', (_, L) => bridge.mayRun(L)],
  ]
}

/** The functions of EVAL only. Scripts cannot be stepped through, so `breakpoint` never stops and `debug` says nothing. */
export function evalLibrary(): Library {
  return [
    ['breakpoint', (vm, L) => pushBoolean(vm, L, 0)],
    ['debug', () => 0],
    ['replicate_commands', (vm, L) => pushBoolean(vm, L, 1)],
  ]
}
