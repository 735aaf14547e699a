// Hooks as they cross the wire: rows like those of `rows.ts`, on which the store builds its own.
import * as z from 'zod/mini'
import { time } from './rows.ts'

const text = z.string()
const optionalText = z.exactOptional(text)
const optionalFlag = z.exactOptional(z.boolean())
const optionalCount = z.exactOptional(z.int())

/** What the fires of a hook are held to (behaviour 47). */
export const hookLimitsRow = z.object({
  cooldownMs: optionalCount,
  rate: z.exactOptional(z.object({ fires: z.int(), ms: z.int() })),
  /** Dollars that the orders of one fire may be worth. */
  max: optionalText,
  /** Runs since 00:00 UTC. */
  perDay: optionalCount,
  /** `from` and `to` as `0930`; `zone` absent: UTC; `days`, as `mon`, absent: every day. */
  window: z.exactOptional(
    z.object({ from: text, to: text, zone: optionalText, days: z.exactOptional(z.array(z.string())) }),
  ),
  once: optionalFlag,
  /** `flat`, `long`, `short`, or a later one. */
  onlyIf: optionalText,
})

/** Why a hook's fires run nothing. `by`: `terminal`, `page`, `hook`, `failures`, `once`, or a later one. */
export const hookPauseRow = z.object({ since: time, by: text, why: optionalText, until: z.exactOptional(time) })

/** A hook as others see it: never with its secret (behaviour 105). */
export const hookRow = z.object({
  id: text,
  name: text,
  command: text,
  account: optionalText,
  createdAt: time,
  /** Runs at once, and how long a fire may wait (behaviour 30); absent: 20, 30 s. */
  parallel: optionalCount,
  maxAgeMs: optionalCount,
  /** What its fires order is worked out and not sent (behaviour 40). */
  dry: optionalFlag,
  limits: z.exactOptional(hookLimitsRow),
  /** Absent: it runs. */
  paused: z.exactOptional(hookPauseRow),
})

export type HookRow = z.output<typeof hookRow>
