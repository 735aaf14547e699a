// What a hook's fires are held to, and what is left of it: rows to read. Pure.
import type { HookRow } from '../../../protocol/frames.ts'
import { showMoney, showTime } from '../../figures.ts'
import type { HookLeft } from './hook-order.ts'

export interface TermRow {
  readonly title: string
  readonly value: string
  /** What is left of it, or that it is how every hook is. */
  readonly aside?: string
}

/** As behaviour 30 has them where a hook says nothing else. */
const DEFAULTS = { parallel: 20, maxAgeMs: 30_000 }
const AS_EVERY = 'as every hook'

/** Empty where it has none of its own. @param at when `left` was told */
export function termRows(hook: HookRow, left: HookLeft | undefined, at: number): readonly TermRow[] {
  const { limits = {}, dry } = hook
  const { once, cooldownMs, rate, perDay, max, window, onlyIf } = limits
  const rows: (TermRow | false | undefined)[] = [
    dry === true && { title: 'Orders', value: 'worked out, not sent' },
    once === true && { title: 'Runs', value: 'once', aside: left?.once === 0 ? 'it has' : 'still to come' },
    max !== undefined && { title: 'Orders of a fire', value: `at most $${showMoney(max)}` },
    onlyIf !== undefined && { title: 'Position', value: `only if ${onlyIf}` },
    cooldownMs !== undefined && { title: 'Cooldown', value: span(cooldownMs), ...nextRun(left, at) },
    rate && { title: 'Rate', value: `${rate.fires} in ${span(rate.ms)}`, ...remaining(left?.rate, 'left now') },
    perDay !== undefined && { title: 'A day', value: runs(perDay), ...remaining(left?.perDay, 'left until 00:00 UTC') },
    window && { title: 'Hours', value: hours(window) },
  ]
  return rows.filter((row) => typeof row === 'object')
}

/** What holds for every fire, whatever its limits. */
export function careRows({ parallel, maxAgeMs }: HookRow): readonly TermRow[] {
  return [
    { title: 'At once', value: runs(parallel ?? DEFAULTS.parallel), ...asEvery(parallel) },
    { title: 'Too old after', value: span(maxAgeMs ?? DEFAULTS.maxAgeMs), ...asEvery(maxAgeMs) },
    { title: 'Pauses itself after', value: '5 failures in a row' },
  ]
}

function asEvery(own: number | undefined): Pick<TermRow, 'aside'> {
  return own === undefined ? { aside: AS_EVERY } : {}
}

function nextRun(left: HookLeft | undefined, at: number): Pick<TermRow, 'aside'> {
  const { cooldownMs = 0 } = left ?? {}
  return cooldownMs === 0 ? {} : { aside: `next run from ${showTime(at + cooldownMs, at)} on` }
}

function remaining(count: number | undefined, words: string): Pick<TermRow, 'aside'> {
  return count === undefined ? {} : { aside: `${count === 0 ? 'none' : count} ${words}` }
}

function hours({ from, to, days, zone = 'UTC' }: NonNullable<NonNullable<HookRow['limits']>['window']>): string {
  return [`${clock(from)}–${clock(to)}`, ...(days ? [days.join(', ')] : []), zone].join(' ')
}

/** `0930` */
function clock(text: string): string {
  return `${text.slice(0, 2)}:${text.slice(2)}`
}

function runs(count: number): string {
  return count === 1 ? '1 run' : `${count} runs`
}

/** Why, and until when. */
export function pauseText({ why, by, until }: NonNullable<HookRow['paused']>): string {
  const end = until === undefined ? '' : ` until ${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return `${why ?? `by the ${by}`}${end}`
}

function span(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000} h`
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1_000} s`
}
