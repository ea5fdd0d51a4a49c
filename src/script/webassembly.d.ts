/** The part of the WebAssembly API that this folder uses: it is global in Node.js, but its types come only with those of browsers. */
declare namespace WebAssembly {
  type ImportValue = ((...args: number[]) => unknown) | Memory | Table
  type ModuleImports = Record<string, ImportValue>
  type Imports = Record<string, ModuleImports>
  class Module {
    constructor(bytes: Uint8Array)
    static imports(module: Module): { module: string; name: string; kind: string }[]
  }
  class Instance {
    constructor(module: Module, imports: Imports)
    readonly exports: Record<string, unknown>
  }
  class Memory {
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  class Table {
    readonly length: number
    get(index: number): unknown
    set(index: number, fn: unknown): void
    grow(count: number, fn?: unknown): number
  }
  class RuntimeError extends Error {}
}
