// What a hook's fires are held to, in one line, and what is left of it.
import type { HookRow } from '../../../protocol/frames.ts'
import { showTime } from '../../figures.ts'
import type { HookLeft } from './hook-order.ts'

export function limitsText({ limits = {}, parallel, maxAgeMs, dry }: HookRow): string {
  const { once, cooldownMs, rate, perDay, max, window, onlyIf } = limits
  return [
    ...(once === true ? ['once'] : []),
    ...(cooldownMs === undefined ? [] : [`cooldown ${span(cooldownMs)}`]),
    ...(rate === undefined ? [] : [`${rate.fires} in ${span(rate.ms)}`]),
    ...(perDay === undefined ? [] : [`${perDay} a day`]),
    ...(max === undefined ? [] : [`$${max} a fire`]),
    ...(window === undefined
      ? []
      : [
          [`${window.from}-${window.to}`, ...(window.days ? [window.days.join(',')] : []), window.zone ?? 'UTC'].join(
            ' ',
          ),
        ]),
    ...(onlyIf === undefined ? [] : [`only if ${onlyIf}`]),
    ...(parallel === undefined ? [] : [`${parallel} at once`]),
    ...(maxAgeMs === undefined ? [] : [`waits ${span(maxAgeMs)} at most`]),
    ...(dry === true ? ['dry: its orders are worked out and not sent'] : []),
  ].join(' · ')
}

/** Empty where nothing is counted. @param at when it was told */
export function leftText(left: HookLeft | undefined, at: number): string {
  if (left === undefined) return ''
  const { once, rate, perDay, cooldownMs = 0 } = left
  const counts = [
    ...(once === undefined ? [] : [once === 0 ? 'not one run: it has had it' : 'its one run']),
    ...(rate === undefined ? [] : [`${rate} by its rate`]),
    ...(perDay === undefined ? [] : [`${perDay} until 00:00 UTC`]),
  ]
  return [
    ...(counts.length === 0 ? [] : [`Left: ${counts.join(', ')}`]),
    ...(cooldownMs === 0 ? [] : [`Next run from ${showTime(at + cooldownMs, at)} on`]),
  ].join(' · ')
}

/** Why, and until when. */
export function pauseText({ why, by, until }: NonNullable<HookRow['paused']>): string {
  const end = until === undefined ? '' : ` until ${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return `${why ?? `by the ${by}`}${end}`
}

function span(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000}h`
  return ms % 60_000 === 0 ? `${ms / 60_000}m` : `${ms / 1_000}s`
}
