/** A socket on a handle that the test plays: what is written, in which order, what is queued, when it closes and who is told. */
import { expect, test } from 'vitest'
import type { SocketOwner } from '../../src/net/client-socket.ts'
import { HandleSocket } from '../../src/net/handle-socket.ts'
import { END_OF_FILE, type SocketHandle, type SocketName, streamWrap, type WriteRequest } from '../../src/net/stream-wrap.ts'

const { streamBaseState: state, kReadBytesOrError, kLastWriteWasAsync } = streamWrap as NonNullable<typeof streamWrap>
const EPIPE = -32
const ECONNRESET = -104

class FakeHandle implements SocketHandle {
  readonly fd = 42
  bytesWritten = 0
  writeQueueSize = 0
  onread: () => void = () => {}
  buffer: Uint8Array = new Uint8Array(0)
  reading = false
  /** What the next readStart and writeBuffer return. */
  readStatus = 0
  writeStatus = 0
  /** Whether the kernel takes nothing more. */
  isFull = false
  readonly written: string[] = []
  readonly inFlight: { request: WriteRequest; bytes: Uint8Array }[] = []
  private done: (() => void) | null = null

  useUserBuffer(buffer: Uint8Array): void {
    this.buffer = buffer
  }
  readStart(): number {
    if (this.readStatus === 0) this.reading = true
    return this.readStatus
  }
  readStop(): number {
    this.reading = false
    return 0
  }
  writeBuffer(request: WriteRequest, bytes: Uint8Array): number {
    // libuv would take more; the socket gives it one at a time
    expect([this.inFlight.length, this.isClosing, bytes.length > 0]).toEqual([0, false, true])
    if (this.writeStatus !== 0) return this.writeStatus
    this.bytesWritten += bytes.length
    state[kLastWriteWasAsync] = this.isFull ? 1 : 0
    if (this.isFull) {
      this.inFlight.push({ request, bytes })
      this.writeQueueSize = bytes.length
    } else this.written.push(text(bytes))
    return 0
  }
  close(done: () => void): void {
    expect(this.isClosing).toBe(false)
    this.done = done
  }
  getpeername(name: SocketName): number {
    Object.assign(name, { address: '::ffff:10.1.2.3', port: 77 })
    return 0
  }
  getsockname(): number {
    return ECONNRESET
  }

  get isClosing(): boolean {
    return this.done !== null
  }
  /** The write in flight ends, successfully or not. */
  completeWrite(status = 0): void {
    const { request, bytes } = this.inFlight.shift() as { request: WriteRequest; bytes: Uint8Array }
    this.writeQueueSize = 0
    if (status === 0) this.written.push(text(bytes))
    request.oncomplete?.(status)
  }
  /** Closing ends: what was in flight is cancelled first, as libuv does. */
  completeClose(): void {
    while (this.inFlight.length > 0) this.completeWrite(-125)
    this.done?.()
  }
  /** A read ends with these bytes, or a status. */
  read(outcome: string | number): void {
    if (typeof outcome === 'string') this.buffer.set(Buffer.from(outcome))
    state[kReadBytesOrError] = typeof outcome === 'string' ? outcome.length : outcome
    this.onread()
  }
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

class Owner implements SocketOwner {
  readonly events: string[] = []
  onReceive = (): void => {}
  receive(bytes: Uint8Array, length: number): void {
    this.events.push(text(bytes.subarray(0, length)))
    this.onReceive()
  }
  filled(): void {
    this.events.push('filled')
  }
  peerEnded(): void {
    this.events.push('ended')
  }
  destroy(): void {
    this.events.push('destroyed')
  }
}

function make(): { handle: FakeHandle; socket: HandleSocket; owner: Owner; write: (words: string) => boolean; closed: () => number } {
  const handle = new FakeHandle()
  let closings = 0
  const socket = new HandleSocket(handle, new Uint8Array(8), () => closings++)
  const owner = new Owner()
  socket.start(owner)
  const write = (words: string): boolean => socket.write(Buffer.from(`--${words}--`), 2, 2 + words.length)
  return { handle, socket, owner, write, closed: () => closings }
}

test('what the kernel takes at once is not queued, and one write request serves all', () => {
  const { handle, socket, write } = make()
  const requests = new Set<WriteRequest>()
  const { writeBuffer } = handle
  handle.writeBuffer = (request, bytes) => {
    requests.add(request)
    return writeBuffer.call(handle, request, bytes)
  }
  for (const words of ['one', 'two', 'three']) expect([write(words), socket.wentAtOnce]).toEqual([true, true])
  expect(handle.written).toEqual(['one', 'two', 'three'])
  expect([socket.queuedBytes, socket.queuedWrites, socket.takenBytes, requests.size]).toEqual([0, 0, 11, 1])
})

test('what comes behind a write in flight follows it, in order, one write at a time', () => {
  const { handle, socket, write } = make()
  handle.isFull = true
  expect([write('one'), socket.wentAtOnce, socket.queuedBytes, socket.queuedWrites]).toEqual([false, false, 3, 1])
  expect([write('two'), socket.wentAtOnce, socket.queuedBytes, socket.queuedWrites]).toEqual([true, false, 6, 2])
  write('three')
  const long = Buffer.alloc(40_000, 'l')
  expect(socket.write(long, 0, long.length)).toBe(false)
  write('four')
  expect([socket.queuedBytes, socket.queuedWrites, socket.takenBytes]).toEqual([40_015, 4, 0])
  handle.completeWrite()
  expect([handle.inFlight.length, socket.queuedBytes, socket.takenBytes]).toEqual([1, 40_012, 3])
  handle.isFull = false
  handle.completeWrite()
  expect(handle.written).toEqual(['one', 'twothree', long.toString(), 'four'])
  expect([socket.queuedBytes, socket.queuedWrites, handle.isClosing]).toEqual([0, 0, false])
  expect([write('five'), socket.wentAtOnce, handle.written.at(-1)]).toEqual([true, true, 'five'])
})

test('a request whose write is in flight serves no other socket, nor this one, until it has ended', () => {
  const [one, two] = [make(), make()]
  one.handle.isFull = true
  one.write('one')
  const flying = one.handle.inFlight[0].request
  two.handle.isFull = true
  two.write('two')
  expect(two.handle.inFlight[0].request).not.toBe(flying)
  expect(text(flying.buffer as Uint8Array)).toBe('one')
  one.handle.completeWrite()
  expect(flying.buffer).toBe(null)
  one.write('three')
  expect(one.handle.inFlight[0].request).not.toBe(flying)
})

test('a small part of a large buffer is copied, and the buffer free at once', () => {
  const { handle, socket } = make()
  handle.isFull = true
  const large = new Uint8Array(2 << 20).fill(97)
  expect([socket.write(large, 0, 3), socket.wentAtOnce]).toEqual([true, false])
  large.fill(98)
  handle.completeWrite()
  expect(handle.written).toEqual(['aaa'])
  expect(socket.write(large, 0, large.length)).toBe(false)
})

test('nothing is written of no bytes', () => {
  const { handle, socket } = make()
  handle.isFull = true
  expect(socket.write(new Uint8Array(4), 2, 2)).toBe(true)
  expect([handle.inFlight.length, socket.queuedBytes]).toEqual([0, 0])
})

test('a write that fails at once closes, and the owner is told once', () => {
  const { handle, socket, owner, write, closed } = make()
  handle.writeStatus = EPIPE
  expect([write('one'), socket.wentAtOnce, write('two')]).toEqual([true, true, true])
  expect([owner.events, handle.isClosing, closed()]).toEqual([['destroyed'], true, 0])
  handle.completeClose()
  expect(closed()).toBe(1)
})

test('a write that fails later closes, and what was queued is let go of', () => {
  const { handle, socket, owner, write } = make()
  handle.isFull = true
  write('one')
  write('two')
  handle.completeWrite(ECONNRESET)
  expect([owner.events, handle.isClosing, handle.inFlight.length, socket.queuedBytes]).toEqual([['destroyed'], true, 0, 0])
})

test('a failure among what was queued ends the rest', () => {
  const { handle, owner, write } = make()
  handle.isFull = true
  write('one')
  write('two')
  handle.writeStatus = EPIPE
  handle.completeWrite()
  expect([handle.written, owner.events, handle.isClosing]).toEqual([['one'], ['destroyed'], true])
})

test('an end with nothing queued closes at once', () => {
  const { handle, socket, owner, write } = make()
  write('one')
  socket.end()
  expect([handle.written, owner.events, handle.isClosing]).toEqual([['one'], ['destroyed'], true])
})

test('an end with a queue reads no more, takes no more, sends what it has, and then closes', () => {
  const { handle, socket, owner, write } = make()
  handle.isFull = true
  write('one')
  write('two')
  socket.end()
  socket.end()
  socket.resume()
  expect([handle.reading, handle.isClosing, owner.events]).toEqual([false, false, []])
  expect([write('three'), socket.queuedBytes]).toEqual([true, 6])
  handle.completeWrite()
  expect([handle.isClosing, socket.queuedBytes]).toEqual([false, 3])
  handle.completeWrite()
  expect([handle.written, owner.events, handle.isClosing]).toEqual([['one', 'two'], ['destroyed'], true])
})

test('destroyed in the middle of a write: what is queued is lost, its end changes nothing, all calls are harmless', () => {
  const { handle, socket, owner, write, closed } = make()
  handle.isFull = true
  write('one')
  write('two')
  socket.destroy()
  socket.destroy()
  expect([handle.isClosing, closed()]).toEqual([true, 0])
  handle.completeClose()
  expect([owner.events, handle.written, closed(), socket.queuedBytes]).toEqual([[], [], 1, 0])
  handle.reading = false
  expect(write('three')).toBe(true)
  socket.resume()
  socket.pause()
  socket.end()
  handle.read('late')
  expect([owner.events, handle.reading, handle.inFlight.length]).toEqual([[], false, 0])
})

test('reads come with their bytes, and a full buffer is told after them', () => {
  const { handle, owner } = make()
  handle.read('abc')
  handle.read('12345678')
  handle.read(0)
  expect(owner.events).toEqual(['abc', '12345678', 'filled'])
})

test('an owner that closes while it receives hears no more than that the buffer was full', () => {
  const { handle, socket, owner } = make()
  owner.onReceive = () => socket.destroy()
  handle.read('12345678')
  handle.read(END_OF_FILE)
  handle.read(ECONNRESET)
  expect([owner.events, handle.isClosing]).toEqual([['12345678', 'filled'], true])
})

test('the end of what the peer sends is told, and it may still be written to', () => {
  const { handle, owner, write } = make()
  handle.read(END_OF_FILE)
  write('one')
  expect([owner.events, handle.written, handle.isClosing]).toEqual([['ended'], ['one'], false])
})

test('a read that fails ends the owner', () => {
  const { handle, owner } = make()
  handle.read(ECONNRESET)
  expect(owner.events).toEqual(['destroyed'])
})

test('reading pauses and goes on; where it cannot, the owner ends', () => {
  const { handle, socket, owner } = make()
  expect(handle.reading).toBe(true)
  socket.pause()
  expect(handle.reading).toBe(false)
  socket.resume()
  expect(handle.reading).toBe(true)
  handle.readStatus = EPIPE
  socket.resume()
  expect(owner.events).toEqual(['destroyed'])
})

test('names, number and keepalive are those of the handle, where it has them', () => {
  const { handle, socket } = make()
  expect([socket.peerName, socket.localName, socket.fd]).toEqual(['10.1.2.3:77', '?:0', 42])
  const asked: unknown[] = []
  socket.keepAlive(5)
  Object.assign(handle, { setKeepAlive: (...args: unknown[]) => asked.push(args) })
  socket.keepAlive(300)
  expect(asked).toEqual([[true, 300]])
  const unix = new HandleSocket(
    Object.assign(new FakeHandle(), { getpeername: undefined, getsockname: undefined }),
    new Uint8Array(8),
    () => {},
  )
  expect([unix.peerName, unix.localName]).toEqual(['', ''])
})
