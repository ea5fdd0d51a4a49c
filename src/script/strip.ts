/** Takes from a compiled function, and from those in it, what error messages show: names of variables and lines. */
import * as lay from './layout.ts'
import type { LuaVm } from './vm.ts'

/** `closure` is the address of a function in Lua that will not be freed. */
export function stripNames(vm: LuaVm, closure: number): void {
  const { u32 } = vm
  const open = [u32[(closure + lay.CLOSURE_CODE) >>> 2]]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const protos = u32[(at + lay.PROTO_PROTOS) >>> 2] >>> 2
    const count = u32[(at + lay.PROTO_PROTOS_SIZE) >>> 2]
    for (let i = 0; i < count; i++) open.push(u32[protos + i])
    for (const field of lay.PROTO_NAMES) u32[(at + field) >>> 2] = 0
  }
}
