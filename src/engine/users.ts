/** users: who may log in: the default user, with the password of `requirepass`. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { utf8 } from '../util/bytes.ts'
import type { Client } from './client.ts'

export class Users {
  private password: Uint8Array | null = null

  /** '' means that everybody may come in. */
  setPassword(password: string): void {
    this.password = password === '' ? null : digest(utf8(password))
  }

  exists(user: string): boolean {
    return user === 'default'
  }

  /** SHA-256 of the default user's password in hexadecimal digits; '' when there is none. */
  get passwordHash(): string {
    return this.password === null ? '' : Buffer.from(this.password).toString('hex')
  }

  get passwordRequired(): boolean {
    return this.password !== null
  }

  /** Logs the client in as this user; false when the name or the password is wrong. */
  logIn(c: Client, user: string, password: Uint8Array): boolean {
    if (user !== 'default') return false
    if (this.password !== null && !timingSafeEqual(this.password, digest(password))) return false
    c.authenticated = true
    c.user = user
    return true
  }
}

function digest(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest())
}
