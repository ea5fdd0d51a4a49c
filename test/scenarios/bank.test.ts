/** A bank: 50 tellers move money between accounts under WATCH, all at once, and no cent is lost. */
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSeed, seeded } from '../support/random.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
const TELLERS = 50
const TRANSFERS = 4
const ACCOUNTS = 30
const START = 1000
let tellers: Redis[]

beforeAll(() => {
  tellers = Array.from({ length: TELLERS }, () => new Redis({ port: server.port, host: '127.0.0.1' }))
})
afterAll(() => {
  for (const teller of tellers) teller.disconnect()
})

const account = (i: number): string => `account:${i}`

/** One transfer, tried until nobody came in between; returns how often it was tried. */
async function transfer(teller: Redis, from: string, to: string, amount: number): Promise<number> {
  for (let tries = 1; ; tries++) {
    await teller.watch(from, to)
    const balance = Number(await teller.get(from))
    if (balance < amount) {
      await teller.unwatch()
      return tries
    }
    const target = Number(await teller.get(to))
    const done = await teller
      .multi()
      .set(from, balance - amount)
      .set(to, target + amount)
      .exec()
    if (done !== null) return tries
  }
}

test('50 concurrent tellers lose no cent', async () => {
  const random = seeded(runSeed())
  const [bank] = tellers
  await bank.flushall()
  await bank.mset(Object.fromEntries(Array.from({ length: ACCOUNTS }, (_, i) => [account(i), START])))
  const plans = tellers.map((teller) => ({
    teller,
    moves: Array.from({ length: TRANSFERS }, () => {
      const from = random.below(ACCOUNTS)
      return { from, to: (from + 1 + random.below(ACCOUNTS - 1)) % ACCOUNTS, amount: 1 + random.below(300) }
    }),
  }))
  const tries = await Promise.all(
    plans.map(async ({ teller, moves }) => {
      let sum = 0
      for (const { from, to, amount } of moves) sum += await transfer(teller, account(from), account(to), amount)
      return sum
    }),
  )
  const balances = (await bank.mget(Array.from({ length: ACCOUNTS }, (_, i) => account(i)))).map(Number)
  expect(balances.reduce((sum, balance) => sum + balance, 0)).toBe(ACCOUNTS * START)
  expect(Math.min(...balances)).toBeGreaterThanOrEqual(0)
  // They were in each other's way, or this would have tested nothing.
  expect(tries.reduce((sum, n) => sum + n, 0)).toBeGreaterThan(TELLERS * TRANSFERS)
})
