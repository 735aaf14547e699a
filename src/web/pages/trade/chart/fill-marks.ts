// Fills as marks on the candles: which way, and who ordered.
import type { FillRow } from '../../../../protocol/frames.ts'

export type Orderer = 'you' | 'hook' | 'copier' | 'task' | 'elsewhere'

export interface FillMark {
  readonly id: string
  /** When the candle opened that it filled in. */
  readonly time: number
  readonly side: 'buy' | 'sell'
  readonly who: Orderer
  /** How many fills it stands for. */
  readonly count: number
}

/** A task of a hook is the hook's: it, not the task, is what a person would look for. */
export function ordererOf({ source, copier, taskId }: Pick<FillRow, 'source' | 'copier' | 'taskId'>): Orderer {
  if (copier !== undefined) return 'copier'
  if (source === 'hook') return 'hook'
  if (taskId !== undefined) return 'task'
  return source === undefined ? 'elsewhere' : 'you'
}

/** `hook, dip`; of what the venue did by itself why: `elsewhere, liquidated by the venue`. */
export function describeOrderer(fill: FillRow): string {
  return [ordererOf(fill), fill.origin, fill.cause].filter((text) => text !== undefined).join(', ')
}

/** One mark for all fills of a candle that went the same way and were ordered by the same. @param times when candles opened, oldest first */
export function marksOf(fills: readonly FillRow[], symbol: string, times: readonly number[]): FillMark[] {
  const marks = new Map<string, FillMark>()
  for (const fill of fills) {
    if (fill.symbol !== symbol || (fill.side !== 'buy' && fill.side !== 'sell')) continue
    const time = candleAt(times, fill.timestamp)
    if (time === undefined) continue
    const who = ordererOf(fill)
    const id = `${time} ${fill.side} ${who}`
    marks.set(id, { id, time, side: fill.side, who, count: (marks.get(id)?.count ?? 0) + 1 })
  }
  return [...marks.values()].sort((a, b) => a.time - b.time)
}

/** Marks that would lie over each other become one: the same side and orderer within so many candles. @param marks oldest first */
export function groupMarks(marks: readonly FillMark[], times: readonly number[], candles: number): readonly FillMark[] {
  if (candles <= 1) return marks
  const places = new Map(times.map((time, index) => [time, index]))
  const newest = new Map<string, FillMark>()
  const groups = new Map<string, FillMark>()
  for (const mark of marks) {
    const kind = `${mark.side} ${mark.who}`
    const known = newest.get(kind)
    const apart = (places.get(mark.time) ?? 0) - (places.get(known?.time ?? -1) ?? Number.NEGATIVE_INFINITY)
    const group = known !== undefined && apart < candles ? { ...known, count: known.count + mark.count } : mark
    newest.set(kind, group)
    groups.set(group.id, group)
  }
  return [...groups.values()]
}

/** undefined: before all candles. */
function candleAt(times: readonly number[], at: number): number | undefined {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return times[low - 1]
}
