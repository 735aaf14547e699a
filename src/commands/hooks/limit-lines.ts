// A hook's limits, what is left of them, and whether it runs, as people and programs read them (behaviour 47).
import { defined } from '../../base/defined.ts'
import { type FireFacts, isPausedAt, leftOf, showRate, showSpan, showWindow } from '../../hooks/fire-limits.ts'
import { printable } from '../../language/printable.ts'
import type { Hook, HookCare } from '../../stores/hooks.ts'
import { showDuration, showMoment, showMoney } from '../../trading/figures.ts'
import type { HookData } from '../kit/data.ts'
import { type KnownOfTrigger, whenData } from './hook-trigger.ts'

/** One text for each limit: `rate 5/1m (3 left)`. */
export function limitTexts(hook: HookCare, facts: FireFacts): readonly string[] {
  const { limits } = hook
  if (limits === undefined) return []
  const { cooldownMs, rate, max, perDay, window, once, onlyIf } = limits
  const left = leftOf(hook, facts)
  const waits = left.cooldown === undefined || left.cooldown === 0 ? '' : ` (${showDuration(left.cooldown)} left)`
  return [
    ...(once === undefined ? [] : [`once (${left.once === 0 ? 'has run' : 'has not run'})`]),
    ...(cooldownMs === undefined ? [] : [`cooldown ${showSpan(cooldownMs)}${waits}`]),
    ...(rate === undefined ? [] : [`rate ${showRate(rate)} (${left.rate} left)`]),
    ...(perDay === undefined ? [] : [`${perDay} a day (${left.perDay} left)`]),
    ...(max === undefined ? [] : [`max ${showMoney(max)} a fire`]),
    ...(window === undefined ? [] : [showWindow(window)]),
    ...(onlyIf === undefined ? [] : [`only if ${onlyIf}`]),
  ]
}

/** `on`, `paused since 2026-11-22 15:04:05 until … by the terminal: holiday`. */
export function stateText({ paused }: HookCare, wallMs: number): string {
  if (paused === undefined || !isPausedAt(paused, wallMs)) return 'on'
  const { since, by, why, until } = paused
  const words = [
    `paused since ${showMoment(since)}`,
    ...(until === undefined ? [] : [`until ${showMoment(until)}`]),
    ...(by === 'page' || by === 'hook' ? [`by a ${by}`] : []),
  ]
  return `${words.join(' ')}${why === undefined ? '' : `: ${printable(why, 100)}`}`
}

/** Beside what every hook has. */
export function careData(
  hook: Hook,
  facts: FireFacts,
  known?: KnownOfTrigger,
): Omit<HookData, 'id' | 'name' | 'command' | 'account' | 'createdAt'> {
  const { parallel, maxAgeMs, dry, limits, when, paused } = hook
  const isPaused = paused !== undefined && isPausedAt(paused, facts.wallMs)
  return {
    ...defined({ parallel, maxAgeMs }),
    ...(dry === true ? { dry } : {}),
    ...(when === undefined ? {} : { when: whenData(when, facts.wallMs, known) }),
    ...(limits === undefined ? {} : { limits, left: leftData(hook, facts) }),
    ...(isPaused ? { paused: pauseData(paused) } : {}),
  }
}

export function leftData(hook: HookCare, facts: FireFacts): NonNullable<HookData['left']> {
  const { cooldown, ...counts } = leftOf(hook, facts)
  return { ...counts, ...defined({ cooldownMs: cooldown }) }
}

function pauseData({ since, by, why, until }: NonNullable<HookCare['paused']>): NonNullable<HookData['paused']> {
  return { since, by, ...defined({ why, until }) }
}
