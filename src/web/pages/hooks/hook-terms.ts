// What a hook's fires are held to, in one line.
import type { HookRow } from '../../../protocol/frames.ts'

export function limitsText({ limits }: HookRow): string {
  if (limits === undefined) return ''
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
