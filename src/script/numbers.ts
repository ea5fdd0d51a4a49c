/** Numbers as scripts print them: `%.14g` (cjson) and the shortest form (arguments of redis.call). */
import { formatDouble } from '../util/float.ts'

/** What C's printf("%.<precision>g") gives, with `inf`, `-inf`, `nan` and `-nan` for the rest. */
export function formatG(n: number, precision: number): string {
  if (!Number.isFinite(n)) return Number.isNaN(n) ? 'nan' : n > 0 ? 'inf' : '-inf'
  if (n === 0) return Object.is(n, -0) ? '-0' : '0'
  const [digits, power] = roundToEven(n, precision).split('e')
  const exponent = Number(power)
  if (exponent < -4 || exponent >= precision) {
    const size = Math.abs(exponent)
    return `${trimZeros(digits)}e${exponent < 0 ? '-' : '+'}${size < 10 ? '0' : ''}${size}`
  }
  const plain = digits.replace(/[-.]/g, '')
  const whole = exponent < 0 ? '0' : plain.slice(0, exponent + 1)
  const fraction = exponent < 0 ? '0'.repeat(-exponent - 1) + plain : plain.slice(exponent + 1)
  return (n < 0 ? '-' : '') + trimZeros(`${whole}.${fraction}`)
}

/** toExponential, but a value half-way between two results goes to the even one, as in C. */
function roundToEven(n: number, precision: number): string {
  const rounded = n.toExponential(precision - 1)
  const [longer] = n.toExponential(precision).split('e')
  if (
    !longer.endsWith('5') ||
    /[^0]/.test(
      n
        .toExponential(precision + 60)
        .split('e')[0]
        .slice(longer.length),
    )
  )
    return rounded
  const kept = longer.slice(0, -1)
  const even = (kept.charCodeAt(kept.length - 1) & 1) === 0
  return even ? `${kept.replace(/\.$/, '')}e${n.toExponential(precision).split('e')[1]}` : rounded
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0*$/, '') : text
}

/** The shortest decimal that reads back as `n`; whole numbers of up to 62 bits in full. */
export function formatArgument(n: number): string {
  if (!Number.isInteger(n) || Math.abs(n) > 2 ** 62) return formatDouble(n)
  return Object.is(n, -0) ? '0' : BigInt(n).toString()
}

/** C's conversion of a double to int64: truncated; what does not fit is INT64_MIN. */
export function toInt64(n: number): bigint {
  return n >= -(2 ** 63) && n < 2 ** 63 ? BigInt(Math.trunc(n)) : -(2n ** 63n)
}

/** C's conversion of a double to int32 without a way round: what does not fit is INT32_MIN. */
export function castInt32(n: number): number {
  return n > -(2 ** 31) && n < 2 ** 31 ? Math.trunc(n) : -(2 ** 31)
}

/** The same to int32, by way of int64. */
export function toInt32(n: number): number {
  return Number.isSafeInteger(n) ? n | 0 : Number(BigInt.asIntN(32, toInt64(n)))
}
