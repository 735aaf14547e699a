// A month of days, each with what was made on it, and the same in words. Pure; money stays text, as hookline counted it.
import { Decimal } from 'decimal.js'
import type { Answer } from '../../../client/questions.ts'
import { addDays, startOfDay } from '../../zoned-days.ts'

type Pnl = Pick<Answer<'pnl:query'>, 'groups'>

export interface CalendarDay {
  /** `2026-11-03` */
  readonly day: string
  readonly fills: number
  /** In the currency of the calendar; undefined: nothing was made in it. */
  readonly net: string | undefined
  readonly fees: string | undefined
  /** How strong it is among the days of its month, 0 for nothing: the colour's depth. */
  readonly level: 0 | 1 | 2 | 3
}

/** `2026-11`. @returns undefined: invalid */
export function monthIn(text: string | null): string | undefined {
  return text !== null && /^\d{4}-(0[1-9]|1[0-2])$/.test(text) && !text.startsWith('0') ? text : undefined
}

export function addMonths(month: string, count: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const index = year * 12 + number - 1 + count
  return `${String(Math.floor(index / 12)).padStart(4, '0')}-${String((index % 12) + 1).padStart(2, '0')}`
}

/** In which it is asked for: from the first of its midnights up to the next month's. */
export function rangeOf(month: string, zone: string): { readonly from: number; readonly to: number } {
  return { from: startOfDay(`${month}-01`, zone), to: startOfDay(`${addMonths(month, 1)}-01`, zone) }
}

/** From Monday to Sunday; undefined: of another month. */
export function weeksOf(month: string): readonly (readonly (string | undefined)[])[] {
  const first = `${month}-01`
  const monday = addDays(first, -((new Date(`${first}T00:00:00Z`).getUTCDay() + 6) % 7))
  const weeks: (string | undefined)[][] = []
  for (let start = monday; start < `${addMonths(month, 1)}-01`; start = addDays(start, 7)) {
    const days = Array.from({ length: 7 }, (_, index) => addDays(start, index))
    weeks.push(days.map((day) => (day.startsWith(month) ? day : undefined)))
  }
  return weeks
}

export function daysOf({ groups }: Pnl, currency: string): ReadonlyMap<string, CalendarDay> {
  const rows = groups.map(({ key, fills, sums }) => ({
    day: key,
    fills,
    sums: sums.find((each) => each.currency === currency),
  }))
  const most = rows.reduce((max, { sums }) => Decimal.max(max, new Decimal(sums?.net ?? 0).abs()), new Decimal(0))
  return new Map(
    rows.map(({ day, fills, sums }) => [
      day,
      { day, fills, net: sums?.net, fees: sums?.fees, level: levelOf(sums?.net, most) },
    ]),
  )
}

function levelOf(net: string | undefined, most: Decimal): CalendarDay['level'] {
  const amount = new Decimal(net ?? 0).abs()
  if (amount.isZero()) return 0
  if (amount.lte(most.div(3))) return 1
  return amount.lte(most.times(2).div(3)) ? 2 : 3
}

interface MonthSum {
  readonly net: string
  readonly won: number
  readonly lost: number
  readonly best: CalendarDay | undefined
  readonly worst: CalendarDay | undefined
}

/** Of the days that made or lost something. */
export function sumOfMonth(days: Iterable<CalendarDay>): MonthSum {
  const made = [...days].flatMap((day) => (day.net === undefined ? [] : [{ day, net: new Decimal(day.net) }]))
  const sorted = made.filter(({ net }) => !net.isZero()).sort((a, b) => b.net.cmp(a.net))
  const [first, last] = [sorted[0], sorted.at(-1)]
  return {
    net: made.reduce((sum, { net }) => sum.plus(net), new Decimal(0)).toFixed(),
    won: sorted.filter(({ net }) => net.isPositive()).length,
    lost: sorted.filter(({ net }) => net.isNegative()).length,
    best: first?.net.isPositive() === true ? first.day : undefined,
    worst: last?.net.isNegative() === true ? last.day : undefined,
  }
}

const NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** `Tuesday 3 November 2026`. */
export function longDay(day: string): string {
  const [year, month, date] = day.split('-').map(Number)
  return `${NAMES[new Date(`${day}T00:00:00Z`).getUTCDay()]} ${date} ${MONTHS[(month ?? 1) - 1]} ${year}`
}

/** `November 2026`. */
export function monthTitle(month: string): string {
  const [year, number] = month.split('-').map(Number)
  return `${MONTHS[(number ?? 1) - 1]} ${year}`
}

/** Where a key leads from a day; undefined: nowhere. It may be in another month. */
export function dayAfterKey(day: string, key: string): string | undefined {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
  const days = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7, Home: -weekday, End: 6 - weekday }[key]
  if (days !== undefined) return addDays(day, days)
  if (key !== 'PageUp' && key !== 'PageDown') return undefined
  const month = addMonths(day.slice(0, 7), key === 'PageUp' ? -1 : 1)
  // The 31st of a month that has none is its last day.
  const last = addDays(`${addMonths(month, 1)}-01`, -1)
  return [`${month}${day.slice(7)}`, last].sort()[0]
}
