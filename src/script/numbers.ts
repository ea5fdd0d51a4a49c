/** Numbers as scripts print them: `%.14g` (tostring, cjson) and the shortest form (arguments of redis.call). */

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
  if (!longer.endsWith('5') || /[^0]/.test(n.toExponential(precision + 60).split('e')[0].slice(longer.length))) return rounded
  const kept = longer.slice(0, -1)
  const even = (kept.charCodeAt(kept.length - 1) & 1) === 0
  return even ? `${kept.replace(/\.$/, '')}e${n.toExponential(precision).split('e')[1]}` : rounded
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0*$/, '') : text
}

const DIGITS = /^(\d)(?:\.(\d+))?e([+-]\d+)$/

/** The shortest decimal that reads back as `n`, spelled as Redis 7.2 spells doubles; whole numbers of 64 bits in full. */
export function formatShortest(n: number): string {
  if (Number.isInteger(n) && n >= -(2 ** 63) && n < 2 ** 63) return Object.is(n, -0) ? '0' : Number.isSafeInteger(n) ? String(n) : BigInt(n).toString()
  if (!Number.isFinite(n)) return Number.isNaN(n) ? 'nan' : n > 0 ? 'inf' : '-inf'
  const sign = n < 0 ? '-' : ''
  const [, first, rest = '', power] = DIGITS.exec(Math.abs(n).toExponential()) as RegExpExecArray
  const digits = first + rest
  const exponent = Number(power)
  const last = exponent - digits.length + 1
  if (last >= 0 && exponent < digits.length + 7) return sign + digits + '0'.repeat(last)
  if (last < 0 && (last > -7 || Math.abs(exponent) < 4)) {
    if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
    return `${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`
  }
  return `${sign}${first}${rest === '' ? '' : `.${rest}`}e${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`
}

/** C's conversion of a double to int64: truncated; what does not fit is INT64_MIN. */
export function toInt64(n: number): bigint {
  return n >= -(2 ** 63) && n < 2 ** 63 ? BigInt(Math.trunc(n)) : -(2n ** 63n)
}

/** The same to int32, by way of int64. */
export function toInt32(n: number): number {
  return Number.isSafeInteger(n) ? n | 0 : Number(BigInt.asIntN(32, toInt64(n)))
}
