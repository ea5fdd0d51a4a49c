/**
 * Keeps the young generation of the JavaScript heap at its first size. Imported by main.ts before anything else.
 *
 * The data lives in the arena and a request leaves next to nothing behind, so a larger young generation collects no
 * better: it only grows to 16 MiB and then sweeps through that much of the processor's caches. Measured on Node 20: 12 MiB less
 * resident memory after a million commands. The flag takes effect because V8 reads it each time it is about to grow.
 */
import { setFlagsFromString } from 'node:v8'

setFlagsFromString('--semi-space-growth-factor=1')
