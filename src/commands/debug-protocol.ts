/** DEBUG PROTOCOL: a reply of each kind, for tests of clients. */
import type { Client } from '../engine/client.ts'
import type { Reply } from '../resp/reply.ts'
import { bytesOf } from '../util/bytes.ts'

const VERBATIM = bytesOf('This is a verbatim\nstring')

const SAMPLES: Readonly<Record<string, (reply: Reply, resp: number) => void>> = {
  string: (reply) => reply.text('Hello World'),
  integer: (reply) => reply.int(12345),
  // oxlint-disable-next-line approx-constant -- it is no approximation
  double: (reply) => reply.double(3.141),
  bignum: (reply) => reply.bigNumber('1234567999999999999999999999999999999'),
  null: (reply) => reply.nil(),
  array: (reply) => {
    reply.array(3)
    for (let i = 0; i < 3; i++) reply.int(i)
  },
  set: (reply) => {
    reply.set(3)
    for (let i = 0; i < 3; i++) reply.int(i)
  },
  map: (reply) => {
    reply.map(3)
    for (let i = 0; i < 3; i++) {
      reply.int(i)
      reply.bool(i === 1)
    }
  },
  attrib: (reply, resp) => {
    if (resp === 3) {
      reply.attribute(1)
      reply.text('key-popularity')
      reply.array(2)
      reply.text('key:123')
      reply.int(90)
    }
    reply.text('Some real reply following the attribute')
  },
  push: (reply, resp) => {
    if (resp < 3) return reply.error('ERR RESP2 is not supported by this command')
    reply.push(2)
    reply.text('server-cpu-usage')
    reply.int(42)
    reply.text('Some real reply following the push reply')
  },
  verbatim: (reply) => reply.verbatim('txt', VERBATIM, 0, VERBATIM.length),
  true: (reply) => reply.bool(true),
  false: (reply) => reply.bool(false),
}

export function debugProtocol(c: Client): void {
  const sample = SAMPLES[c.argv.text(2).toLowerCase()]
  if (sample === undefined) {
    return c.reply.error(`ERR Wrong protocol type name. Please use one of the following: ${Object.keys(SAMPLES).join('|')}`)
  }
  sample(c.reply, c.resp)
}
