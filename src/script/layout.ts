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
 *   lua_State   | next 4 | tt 1 | marked 1 | status 1 | pad 1 | top 4 | base 4 | global 4 | ci 4 | savedpc 4 | stack_last 4 | stack 4 |
 *               | end_ci 4 | base_ci 4 | stacksize 4 | size_ci 4 | nCcalls u16 | baseCcalls u16 | hookmask 1 | allowhook 1 | pad 2 |
 *               | basehookcount 4 | hookcount 4 | ...
 *   CallInfo    | base 4 | func 4 | top 4 | savedpc 4 | nresults i32 | tailcalls 4 |
 *   Closure     | next 4 | tt 1 | marked 1 | isC 1 | upvalues 1 | gclist 4 | env 4 | C function 4, or Proto 4 | ...
 *   Proto       | next 4 | tt 1 | marked 1 | pad 2 | constants 4 | code 4 | protos 4 | lines 4 | locals 4 | upvalue names 4 | source 4 |
 *               | number of upvalue names 4 | of constants 4 | instructions 4 | lines 4 | protos 4 | locals 4 | ... at 73: parameters 1 |
 *               | is_vararg 1 | maxstacksize 1
 *   instruction | B 9 | C 9 | A 8 | opcode 6 |, from the highest bit; Bx is B and C, sBx is Bx - 131071
 */
export const TVALUE_SIZE = 16
export const TVALUE_TAG = 8
/** Bytes of no value: see patch.ts. */
export const TVALUE_PAD = 12

export const STRING_LENGTH = 12
export const STRING_BYTES = 16

export const TABLE_LOG2_NODES = 7
export const TABLE_METATABLE = 8
export const TABLE_ARRAY = 12
export const TABLE_NODE = 16
export const TABLE_ARRAY_SIZE = 28
export const NODE_KEY = 16

export const STATE_TOP = 8
export const STATE_STATUS = 6
export const STATE_BASE = 12
export const STATE_CI = 20
export const STATE_PC = 24
export const STATE_BASE_CI = 40
/** Calls of C functions in this thread, and in its upper half how many there were when the thread was resumed. */
export const STATE_C_CALLS = 52
export const STATE_HOOK_MASK = 56
export const STATE_ALLOW_HOOK = 57
export const STATE_HOOK_COUNT = 64

export const FRAME_SIZE = 24
export const FRAME_BASE = 0
export const FRAME_FUNC = 4
export const FRAME_TOP = 8
export const FRAME_PC = 12
export const FRAME_RESULTS = 16

export const CLOSURE_IS_C = 6
export const CLOSURE_CODE = 16
export const PROTO_PROTOS = 16
export const PROTO_PROTOS_SIZE = 52
/** Lines, locals and names of upvalues, and how many there are of each. */
export const PROTO_NAMES = [20, 48, 24, 56, 28, 36]
export const PROTO_STACK = 75

export const NONE = -1
export const NIL = 0
export const BOOLEAN = 1
export const LIGHTUSERDATA = 2
export const NUMBER = 3
export const STRING = 4
export const TABLE = 5
export const FUNCTION = 6
export const THREAD = 8

export const REGISTRY = -10000
export const GLOBALS = -10002

/** Pseudo-index of the n-th upvalue of the running C function. */
export const upvalue = (n: number): number => GLOBALS - n

export const YIELD = 1
export const ERR_RUN = 2
export const ERR_MEMORY = 4
export const MASK_RETURN = 2
export const MASK_COUNT = 8
export const EVENT_RETURN = 1
export const EVENT_COUNT = 3

export const GC_COUNT = 3
export const GC_STEP = 5

/** lua_Debug. */
export const DEBUG_BYTES = 100
export const DEBUG_WHAT = 12
export const DEBUG_SOURCE = 16
export const DEBUG_LINE = 20
export const DEBUG_SHORT_SOURCE = 36
/** Index of the frame; 0 for a tail call. */
export const DEBUG_FRAME = 96
