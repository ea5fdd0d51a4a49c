/** redlock 4 has no types of its own: what the tests use of it. */
declare module 'redlock' {
  interface Lock {
    extend(ttlMs: number): Promise<Lock>
    unlock(): Promise<void>
  }
  export default class Redlock {
    constructor(clients: unknown[], options?: { retryCount?: number; retryDelay?: number })
    lock(resource: string, ttlMs: number): Promise<Lock>
  }
}
