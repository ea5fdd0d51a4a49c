/**
 * Size classes: steps of 8 bytes to 128, then four per doubling to 1 KiB and eight per doubling to 64 KiB: small blocks grow often, and each
 * class they pass is a copy; what is wasted in large ones is more. Larger blocks are runs of whole pages.
 * A class takes its blocks from slabs, spans of pages long enough that at most 1/32 of a slab's tail is wasted.
 */
export const PAGE_SHIFT = 14
export const PAGE_BYTES = 1 << PAGE_SHIFT
export const MAX_CLASS_BYTES = 1 << 16
const MAX_SLAB_PAGES = 16
const FINER_FROM = 1024

const sizes: number[] = [0]
for (let size = 8; size <= 128; size += 8) sizes.push(size)
for (let base = 128; base < MAX_CLASS_BYTES; base *= 2) {
  const steps = base < FINER_FROM ? 4 : 8
  for (let step = 1; step <= steps; step++) sizes.push(base + (base / steps) * step)
}

export const CLASS_COUNT = sizes.length
/** Bytes of a block of the class; class 0 is not used. */
export const CLASS_BYTES = Uint32Array.from(sizes)
/** Pages of one slab of the class. */
export const CLASS_PAGES = Uint32Array.from(sizes, slabPages)
/** Blocks in one slab of the class. */
export const CLASS_BLOCKS = Uint32Array.from(sizes, (size, i) => (size === 0 ? 0 : Math.floor((CLASS_PAGES[i] * PAGE_BYTES) / size)))
/** Class of a block by its size in granules, rounded up: CLASS_OF[(sizeBytes + 7) >>> 3]. */
export const CLASS_OF = new Uint8Array(MAX_CLASS_BYTES / 8 + 1)
for (let granules = 1, cls = 1; granules < CLASS_OF.length; granules++) {
  while (CLASS_BYTES[cls] < granules * 8) cls++
  CLASS_OF[granules] = cls
}
CLASS_OF[0] = 1

function slabPages(size: number): number {
  if (size === 0) return 0
  for (let pages = Math.ceil(size / PAGE_BYTES); pages < MAX_SLAB_PAGES; pages++) {
    const bytes = pages * PAGE_BYTES
    if (bytes >= size * 4 && bytes % size <= bytes / 32) return pages
  }
  return MAX_SLAB_PAGES
}

/** The bytes a block of this size really takes, and may use. */
export function usableBytes(sizeBytes: number): number {
  if (sizeBytes <= MAX_CLASS_BYTES) return CLASS_BYTES[CLASS_OF[(sizeBytes + 7) >>> 3]]
  return Math.ceil(sizeBytes / PAGE_BYTES) * PAGE_BYTES
}

/** Whether blocks of these two sizes take the same bytes. */
export function sameBlock(a: number, b: number): boolean {
  if (a <= MAX_CLASS_BYTES && b <= MAX_CLASS_BYTES) return CLASS_OF[(a + 7) >>> 3] === CLASS_OF[(b + 7) >>> 3]
  return a > MAX_CLASS_BYTES && b > MAX_CLASS_BYTES && Math.ceil(a / PAGE_BYTES) === Math.ceil(b / PAGE_BYTES)
}
