/** Writes redis.conf.example from the option table: `npm run conf`. */
import { writeFileSync } from 'node:fs'
import { exampleConf } from '../../src/engine/conf-example.ts'

writeFileSync(new URL('../../redis.conf.example', import.meta.url), exampleConf())
