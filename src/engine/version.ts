/** Versions: what respd is, and which Redis it behaves like. */
export const RESPD_VERSION = '0.1.0'
export const REDIS_VERSION = '7.2.4'
