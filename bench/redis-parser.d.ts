/** What the benchmark uses of redis-parser, which brings no types. */
declare module 'redis-parser' {
  export default class RedisParser {
    constructor(options: {
      returnReply(reply: unknown): void
      returnError(error: Error): void
      returnFatalError(error: Error): void
      returnBuffers?: boolean
    })
    execute(chunk: Buffer): void
  }
}
