/**
 * ref: the address of a block in the arena.
 *
 * An unsigned 32-bit number that counts 8-byte granules: | segment 9 bits | granule 23 bits |. Segments are 64 MiB, so
 * 512 of them make 32 GiB. 0 is null. A block larger than half a segment has a segment (and a view) of its own and
 * begins at its granule 0, so inside a block an address is always (view, offset), never ref + n.
 */
declare const refBrand: unique symbol
export type Ref = number & { readonly [refBrand]: true }

export const NULL_REF = 0 as Ref

export const SEGMENT_SHIFT = 26
export const SEGMENT_BYTES = 1 << SEGMENT_SHIFT
export const GRANULE_SHIFT = 3
/** ref >>> REF_SEGMENT is the segment; ref & REF_GRANULE the granule inside it. */
export const REF_SEGMENT = SEGMENT_SHIFT - GRANULE_SHIFT
export const REF_GRANULE = (1 << REF_SEGMENT) - 1
export const MAX_SEGMENTS = 1 << (32 - REF_SEGMENT)

/** Index of the segment's views in `arena.u8`, `arena.u32`, `arena.f64`. */
export function segmentOf(ref: number): number {
  return ref >>> REF_SEGMENT
}

/** Offset of the block's first byte in its segment's u8 view. */
export function byteOf(ref: number): number {
  return (ref & REF_GRANULE) << 3
}

/** Offset of the block's first word in its segment's u32 view. */
export function wordOf(ref: number): number {
  return (ref & REF_GRANULE) << 1
}

/** Offset of the block's first double in its segment's f64 view. */
export function doubleOf(ref: number): number {
  return ref & REF_GRANULE
}
