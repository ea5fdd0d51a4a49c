/** The operations of every type, by type number. A new type adds its line here. */
import type { TypeOps } from './object.ts'
import { STRING } from './object.ts'
import { stringOps } from './string.ts'

export const TYPES: TypeOps[] = []
TYPES[STRING] = stringOps
