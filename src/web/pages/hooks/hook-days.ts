import { useEffect, useRef, useState } from 'react'
import type { Answer } from '../../../client/questions.ts'
import type { HookRow, PnlRow } from '../../../protocol/frames.ts'
import { isLive } from '../../state/console-state.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'

// The fires of each hook in 24 h, and the rest of its limits: queried when a fire begins or ends or a hook changes, at most once a second;
// and at intervals while a limit is used, because it recovers with time.

interface HookDays {
  readonly days: ReadonlyMap<string, HookDay>
  readonly lefts: ReadonlyMap<string, HookLeft>
  /** When it arrived; ms since the epoch. */
  readonly at: number
}

const AT_MOST_EVERY_MS = 1_000
const WHILE_COUNTED_MS = 15_000
const NONE: HookDays = { days: new Map(), lefts: new Map(), at: 0 }

export function useHookDays(): HookDays {
  const console = useConsole()
  const isUsable = useDesk(isLive)
  const hooks = useDesk((state) => state.hooks)
  const fires = useDesk(({ hookRuns }) =>
    hookRuns.map(({ runId, result }) => `${runId}${result === undefined ? '' : ' ended'}`).join(),
  )
  const [known, setKnown] = useState(NONE)
  const askedAt = useRef(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each fire and each change is news
  useEffect(() => {
    if (!isUsable) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let isGone = false
    const ask = async () => {
      askedAt.current = Date.now()
      // hookline is too old, or the connection is lost: the last answer stays.
      const answer = await console.ask.hookCounts().catch(() => undefined)
      if (isGone || answer === undefined) return
      setKnown({ days: byHook(answer.hooks), lefts: byHook(answer.left ?? []), at: Date.now() })
      if (answer.left?.length) timer = setTimeout(ask, WHILE_COUNTED_MS)
    }
    timer = setTimeout(ask, Math.max(0, askedAt.current + AT_MOST_EVERY_MS - Date.now()))
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [console, isUsable, hooks, fires])
  return known
}

function byHook<Row extends { readonly hookId: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [row.hookId, row]))
}

// Which hooks the list shows, and in which order. Pure.

export type HookDay = Answer<'hooks:counts'>['hooks'][number]
export type HookLeft = NonNullable<Answer<'hooks:counts'>['left']>[number]
export const ORDERS = {
  fired: 'Last fired',
  name: 'Name',
  fires: 'Most fires',
  failed: 'Most failures',
  slow: 'Slowest',
} as const
export type HookOrder = keyof typeof ORDERS

export function shownHooks(
  hooks: readonly HookRow[],
  days: ReadonlyMap<string, HookDay>,
  { text, order }: { readonly text: string; readonly order: HookOrder },
): readonly HookRow[] {
  const wanted = text.trim().toLowerCase()
  const fits = ({ name, command, id, account = '', paused }: HookRow) =>
    [name, command, id, account, paused ? 'paused' : ''].join('\n').toLowerCase().includes(wanted)
  const rank = ({ id }: HookRow) => rankOf(days.get(id), order)
  return hooks.filter(fits).sort((a, b) => rank(b) - rank(a) || a.name.localeCompare(b.name))
}

/** Greatest first. */
function rankOf(day: HookDay | undefined, order: HookOrder): number {
  switch (order) {
    case 'fired':
      return day?.last?.at ?? 0
    case 'fires':
      return day?.fires ?? 0
    case 'failed':
      return day?.failed ?? 0
    case 'slow':
      return day?.p95Ms ?? 0
    default:
      return 0
  }
}

export const PARTS = ['ok', 'failed', 'skipped', 'expired'] as const

export function dayWords(day: HookDay | undefined): string {
  if (day === undefined || day.fires === 0) return 'no fires in 24 h'
  const parts = PARTS.flatMap((part) => (day[part] > 0 ? [`${day[part]} ${part}`] : []))
  return `${day.fires} ${day.fires === 1 ? 'fire' : 'fires'} in 24 h: ${parts.join(', ')}`
}

// The profit of each hook in 30 days on one account: queried again when a fire has ended.

export const PNL_DAYS = 30
const DAY_MS = 86_400_000
/** Of several fires together. */
const PAUSE_MS = 1_000

/** What it opened, in sums, and all fills that it ordered. */
type HookPnl = Pick<PnlRow, 'fills' | 'sums'>

/** In words where there are no sums: profit is with who opened. @returns undefined: there are sums */
export function noPnlWords({ fills, sums }: HookPnl): { readonly value: string; readonly aside?: string } | undefined {
  if (sums.length > 0) return undefined
  if (fills === 0) return { value: 'no fills' }
  return { value: 'opened nothing', aside: fills === 1 ? '1 exit fill' : `${fills} exit fills` }
}

/** @param news changes when it should be asked again @returns undefined: not known */
export function useHookPnl(name: string, account: string | undefined, news: unknown): HookPnl | undefined {
  const console = useConsole()
  const isUsable = useDesk(isLive)
  const [known, setKnown] = useState<{ readonly key: string; readonly pnl: HookPnl }>()
  const key = `${account} ${name}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: news are the reason to ask
  useEffect(() => {
    if (!isUsable || account === undefined) return undefined
    let isOver = false
    const timer = setTimeout(async () => {
      const question = { by: 'hook', account, from: Date.now() - PNL_DAYS * DAY_MS } as const
      const answer = await console.ask.pnl(question).catch(() => undefined)
      if (isOver || answer === undefined) return
      const group = answer.groups.find((each) => each.key === `hook:${name}`)
      setKnown({ key, pnl: group ?? { fills: 0, sums: [] } })
    }, PAUSE_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [console, isUsable, account, name, key, news])
  return known?.key === key ? known.pnl : undefined
}
