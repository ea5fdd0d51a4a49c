/**
 * encodings: how large collections may get in their compact forms, as the options say at the moment. The types take these as parameters.
 */
import type { HashLimits } from '../types/hash.ts'
import type { ListLimits } from '../types/list.ts'
import type { SetLimits } from '../types/set.ts'
import type { ZsetLimits } from '../types/zset.ts'
import type { Config, Setting } from './config.ts'

class LiveHashLimits implements HashLimits {
  private readonly maxEntries: Setting
  private readonly maxValue: Setting

  constructor(config: Config) {
    this.maxEntries = config.setting('hash-max-listpack-entries')
    this.maxValue = config.setting('hash-max-listpack-value')
  }

  get entries(): number {
    return this.maxEntries.num
  }

  get value(): number {
    return this.maxValue.num
  }
}

class LiveListLimits implements ListLimits {
  private readonly maxSize: Setting
  private readonly compressDepth: Setting

  constructor(config: Config) {
    this.maxSize = config.setting('list-max-listpack-size')
    this.compressDepth = config.setting('list-compress-depth')
  }

  get size(): number {
    return this.maxSize.num
  }

  get depth(): number {
    return this.compressDepth.num
  }
}

class LiveSetLimits implements SetLimits {
  private readonly maxIntset: Setting
  private readonly maxEntries: Setting
  private readonly maxValue: Setting

  constructor(config: Config) {
    this.maxIntset = config.setting('set-max-intset-entries')
    this.maxEntries = config.setting('set-max-listpack-entries')
    this.maxValue = config.setting('set-max-listpack-value')
  }

  get intset(): number {
    return this.maxIntset.num
  }

  get entries(): number {
    return this.maxEntries.num
  }

  get value(): number {
    return this.maxValue.num
  }
}

class LiveZsetLimits implements ZsetLimits {
  private readonly maxEntries: Setting
  private readonly maxValue: Setting

  constructor(config: Config) {
    this.maxEntries = config.setting('zset-max-listpack-entries')
    this.maxValue = config.setting('zset-max-listpack-value')
  }

  get entries(): number {
    return this.maxEntries.num
  }

  get value(): number {
    return this.maxValue.num
  }
}

export class Encodings {
  readonly hash: HashLimits
  readonly list: ListLimits
  readonly set: SetLimits
  readonly zset: ZsetLimits

  constructor(config: Config) {
    this.hash = new LiveHashLimits(config)
    this.list = new LiveListLimits(config)
    this.set = new LiveSetLimits(config)
    this.zset = new LiveZsetLimits(config)
  }
}
