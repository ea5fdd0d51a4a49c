/** MODULE: there are none, and none can be loaded. */
import type { Client } from '../engine/client.ts'
import { ADMIN, LOADING, NOSCRIPT, NO_ASYNC_LOADING, PROTECTED, STALE } from '../engine/flags.ts'
import type { CommandRow } from '../engine/row.ts'
import { replyHelp } from './help.ts'

// biome-ignore format: a table, one command after the other
export const moduleRows: readonly CommandRow<Client>[] = [
  { name: 'MODULE', arity: -2, flags: 0, since: '4.0.0', summary: 'Server modules.',
    subcommands: [
      { name: 'HELP', arity: 2, flags: LOADING | STALE, since: '5.0.0', summary: 'What MODULE can do.', complexity: 'O(1)',
        run: moduleHelp },
      { name: 'LIST', arity: 2, flags: ADMIN | NOSCRIPT, since: '4.0.0', summary: 'The loaded modules.', complexity: 'O(N) by modules',
        tips: ['nondeterministic_output_order'], run: moduleList },
      { name: 'LOAD', arity: -3, flags: ADMIN | NOSCRIPT | NO_ASYNC_LOADING | PROTECTED, since: '4.0.0',
        args: 'path:string [arg:string...]', summary: 'Adds a module to the server.', complexity: 'O(1)', run: moduleLoad },
      { name: 'LOADEX', arity: -3, flags: ADMIN | NOSCRIPT | NO_ASYNC_LOADING | PROTECTED, since: '7.0.0',
        args: 'path:string [(CONFIG configs(name:string value:string))...] [ARGS args:string...]',
        summary: 'Loads a module with configuration and arguments.', complexity: 'O(1)', run: moduleLoad },
      { name: 'UNLOAD', arity: 3, flags: ADMIN | NOSCRIPT | NO_ASYNC_LOADING | PROTECTED, since: '4.0.0', args: 'name:string',
        summary: 'Takes a module out of the server.', complexity: 'O(1)', run: moduleUnload },
    ] },
]

function moduleList(c: Client): void {
  c.reply.array(0)
}

function moduleLoad(c: Client): void {
  c.reply.error('ERR Error loading the extension. Please check the server logs.')
}

function moduleUnload(c: Client): void {
  c.reply.error('ERR Error unloading module: no such module with that name')
}

function moduleHelp(c: Client): void {
  replyHelp(c, [
    'LIST',
    '    Return a list of loaded modules.',
    'LOAD <path> [<arg> ...]',
    '    Load a module library from <path>, passing to it any optional arguments.',
    'LOADEX <path> [[CONFIG NAME VALUE] [CONFIG NAME VALUE]] [ARGS ...]',
    '    Load a module library from <path>, while passing it module configurations and optional arguments.',
    'UNLOAD <name>',
    '    Unload a module.',
  ])
}
