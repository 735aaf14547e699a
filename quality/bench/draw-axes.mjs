// Logarithmic axes for the picture of what grows: where a size or a cost stands, which of them are labelled, and how.

/** @typedef {{ at: number, label: string }} Tick at: in pixels */
/** @typedef {{ left: number, right: number, top: number, bottom: number }} Box in pixels; the plot's */

/** Of the size 0, which has no logarithm, from the smallest other one. */
const ZERO_GAP = 48
/** From the axis to the first point. */
const INSET = 14
/** Between the middles of two labels of sizes. */
const LABEL_WIDTH = 34
/** What is between the lowest and the highest cost shown, at least: noise must not look like growth. */
const MIN_FACTOR = 10
/** Between a cost and the edge. */
const HEADROOM = 1.15
const STEPS = [1, 2, 5]
const EPSILON = 1e-9

/** @param {number} us @returns {string} two or three digits, with the unit */
export function formatTime(us) {
  const [value, unit] = us < 999.5 ? [us, 'µs'] : us < 999_500 ? [us / 1e3, 'ms'] : [us / 1e6, 's']
  const digits = value >= 9.95 ? value.toFixed(0) : value >= 0.995 ? value.toFixed(1) : value.toPrecision(2)
  return `${digits.replace(/\.0$/, '')} ${unit}`
}

/** @param {number} size @param {string} [unit] @returns {string} `10k`, `2.5 MB` */
export function formatSize(size, unit) {
  if (unit !== undefined) return `${size} ${unit}`
  if (size >= 1e6) return `${size / 1e6}M`
  return size >= 1e3 ? `${size / 1e3}k` : String(size)
}

/**
 * @param {readonly number[]} sizes the smallest first
 * @param {Box} box
 * @returns {(size: number) => number}
 */
export function sizeScale(sizes, box) {
  const counted = sizes.filter((size) => size > 0)
  const left = box.left + INSET + (counted.length < sizes.length ? ZERO_GAP : 0)
  const [first, last] = [Math.log(counted[0]), Math.log(counted[counted.length - 1])]
  const perStep = last === first ? 0 : (box.right - INSET - left) / (last - first)
  return (size) => (size === 0 ? box.left + INSET : left + (Math.log(size) - first) * perStep)
}

/**
 * The sizes measured; where they stand too close, powers of ten, and whichever others find room.
 * @param {readonly number[]} sizes @param {(size: number) => number} x @param {string} [unit]
 * @returns {Tick[]}
 */
export function sizeTicks(sizes, x, unit) {
  const isPowerOfTen = (/** @type {number} */ size) => Number.isInteger(Math.log10(size))
  /** @type {number[]} */
  const labelled = []
  for (const size of [...sizes.filter(isPowerOfTen), ...sizes.toReversed()]) {
    if (labelled.every((other) => Math.abs(x(other) - x(size)) >= LABEL_WIDTH)) labelled.push(size)
  }
  return labelled.toSorted((a, b) => a - b).map((size) => ({ at: x(size), label: formatSize(size, unit) }))
}

/**
 * @param {readonly number[]} costs all that must have room, in µs
 * @param {Box} box
 * @returns {{ y: (us: number) => number, lowest: number, highest: number }}
 */
export function costScale(costs, box) {
  let lowest = stepBelow(Math.min(...costs) / HEADROOM)
  let highest = stepAbove(Math.max(...costs) * HEADROOM)
  while (highest / lowest < MIN_FACTOR - EPSILON) {
    highest = stepAbove(highest * (1 + EPSILON))
    if (highest / lowest < MIN_FACTOR - EPSILON) lowest = stepBelow(lowest * (1 - EPSILON))
  }
  const perStep = (box.bottom - box.top) / (Math.log(highest) - Math.log(lowest))
  return { lowest, highest, y: (us) => box.bottom - (Math.log(us) - Math.log(lowest)) * perStep }
}

/** @param {ReturnType<typeof costScale>} scale @returns {Tick[]} */
export function costTicks({ lowest, highest, y }) {
  const steps = highest / lowest > 60 ? [1] : STEPS
  const ticks = []
  for (let power = Math.floor(Math.log10(lowest) + EPSILON); 10 ** power <= highest; power++) {
    for (const step of steps) {
      const cost = step * 10 ** power
      const isShown = cost > lowest * (1 - EPSILON) && cost < highest * (1 + EPSILON)
      if (isShown) ticks.push({ at: y(cost), label: formatTime(cost) })
    }
  }
  return ticks
}

/** @param {number} cost @returns {number} the next 1, 2 or 5 times a power of ten, not above it */
function stepBelow(cost) {
  const power = 10 ** Math.floor(Math.log10(cost))
  return power * (STEPS.findLast((step) => step * power <= cost) ?? 1)
}

/** @param {number} cost @returns {number} not below it */
function stepAbove(cost) {
  const power = 10 ** Math.floor(Math.log10(cost))
  return power * (STEPS.find((step) => step * power >= cost) ?? 10)
}
