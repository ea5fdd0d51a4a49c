/** A growing buffer of bytes for the encoders of this folder. Kept between calls; a large one is dropped by `reset`. */
import { copyBytes, writeLatin1 } from '../util/bytes.ts'

const FIRST_BYTES = 1024
const KEEP_BYTES = 1 << 20

export class Output {
  bytes = new Uint8Array(FIRST_BYTES)
  length = 0

  reset(): void {
    this.length = 0
    if (this.bytes.length > KEEP_BYTES) this.bytes = new Uint8Array(FIRST_BYTES)
  }

  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const bytes = new Uint8Array(2 * (this.length + more))
    bytes.set(this.bytes.subarray(0, this.length))
    this.bytes = bytes
  }

  byte(b: number): void {
    this.reserve(1)
    this.bytes[this.length++] = b
  }

  text(text: string): void {
    this.reserve(text.length)
    this.length = writeLatin1(this.bytes, this.length, text)
  }

  copy(from: Uint8Array, offset: number, length: number): void {
    this.reserve(length)
    copyBytes(this.bytes, this.length, from, offset, length)
    this.length += length
  }
}
