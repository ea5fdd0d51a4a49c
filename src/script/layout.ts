/**
 * Where Lua 5.1.5 keeps things, in the one build of it that `wasm.ts` accepts (the file's sha256 is checked).
 *
 * Reading a value costs a load instead of a call across the WebAssembly border, which is what makes `redis.call` cheap.
 * The memory is the script's, so what is read here is never trusted: sizes are clamped, walks are bounded, and a wrong
 * pointer at worst yields wrong bytes from inside that same memory.
 *
 *   TValue      | value 8 (f64, or u32 pointer, or u32 boolean) | tag u32 | pad 4 |
 *   TString     | next 4 | tt 1 | marked 1 | reserved 1 | pad 1 | hash u32 | length u32 | bytes ... | 0 |
 *   Table       | next 4 | tt 1 | marked 1 | flags 1 | log2(nodes) 1 | metatable 4 | array 4 | node 4 | lastfree 4 | gclist 4 | arraysize 4 |
 *   lua_State   | next 4 | tt 1 | marked 1 | status 1 | pad 1 | top 4 | base 4 | global 4 | ci 4 | ... | nCcalls u16 | baseCcalls u16 | ...
 */
export const TVALUE_SIZE = 16
export const TVALUE_TAG = 8

export const STRING_LENGTH = 12
export const STRING_BYTES = 16

export const TABLE_LOG2_NODES = 7
export const TABLE_ARRAY = 12
export const TABLE_NODE = 16
export const TABLE_ARRAY_SIZE = 28
export const NODE_KEY = 16

export const STATE_TOP = 8
export const STATE_BASE = 12
/** Calls of C functions in this thread, and in its upper half how many there were when the thread was resumed. */
export const STATE_C_CALLS = 52

export const NONE = -1
export const NIL = 0
export const BOOLEAN = 1
export const LIGHTUSERDATA = 2
export const NUMBER = 3
export const STRING = 4
export const TABLE = 5
export const FUNCTION = 6

export const REGISTRY = -10000
export const GLOBALS = -10002

/** Pseudo-index of the n-th upvalue of the running C function. */
export const upvalue = (n: number): number => GLOBALS - n

export const YIELD = 1
export const ERR_RUN = 2
export const ERR_MEMORY = 4
export const MASK_COUNT = 8

export const GC_COUNT = 3
export const GC_STEP = 5
