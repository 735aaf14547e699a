// What `hookline cross-trade run` says of itself: as it begins, and every 30 s where there is something new to say.
import { describeRow, describeWaiting, shortId } from '../commands/cross-trade/row-words.ts'
import type { EngineReport } from '../cross-trade/engine-port.ts'
import { checkRows } from '../cross-trade/rows-check.ts'
import { findVenue } from '../exchanges/venues.ts'
import { printable } from '../language/printable.ts'
import { type AccountRow, isDemo } from '../stores/accounts.ts'
import type { CrossTradeConfig } from '../stores/cross-trade.ts'
import type { Notice } from './notice.ts'

interface BannerFacts {
  readonly version: string
  readonly pid: number
  /** As they may copy. */
  readonly rows: readonly CrossTradeConfig[]
  /** What of them waits for a yes at the terminal, by their ids. */
  readonly waiting?: ReadonlyMap<string, readonly string[]>
  readonly find: (account: string) => AccountRow | undefined
  /** Whether its keys are in the vault, and that is locked. */
  readonly isLocked: (row: AccountRow) => boolean
}

export function engineBanner({ version, pid, rows, waiting, find, isLocked }: BannerFacts): readonly Notice[] {
  const enabled = rows.filter((row) => row.enabled)
  const off = rows.length - enabled.length
  const accounts = accountsOf(enabled)
  const head = `hookline ${version} cross-trade, pid ${pid}: ${countOf(enabled.length, 'row')} on, ${off} off`
  const problems = checkRows(rows, (name) => find(name) !== undefined)
  const whyNot = (row: CrossTradeConfig) => problems.find(({ configId }) => configId === row.id)?.why
  return [
    { kind: 'info', text: head },
    ...enabled.map((row): Notice => {
      const why = whyNot(row)
      if (why === undefined) return { kind: 'info', text: describeRow(row) }
      return { kind: 'warn', text: `${describeRow(row)} is not copied: ${printable(why, 160)}` }
    }),
    ...rows.flatMap((row): Notice[] => {
      const what = waiting?.get(row.id)
      if (what === undefined) return []
      return [
        {
          kind: 'warn',
          text: `${describeRow(row)} ${describeWaiting(what)}: \`cross-trade enable ${shortId(row.id)}\``,
        },
      ]
    }),
    ...(accounts.length === 0 ? [] : [{ kind: 'info', text: describeMoney(accounts, find) } as const]),
    ...accounts.flatMap((name) => lockedNotice(find(name), isLocked)),
    ...(enabled.length === 0 ? [NOTHING_ON] : []),
  ]
}

const NOTHING_ON: Notice = {
  kind: 'warn',
  text: 'no row is on, so nothing is copied yet; `hookline cross-trade enable <id>` turns one on, and this engine follows',
}

/** `paper and swing are paper accounts; main trades real money on bybit`. */
function describeMoney(names: readonly string[], find: BannerFacts['find']): string {
  const words = names.map((name) => {
    const row = find(name)
    const shown = printable(name, 40)
    if (row === undefined) return `${shown} is not an account`
    if (row.exchange === 'paper') return `${shown} is a paper account`
    const venue = printable(findVenue(row.exchange)?.name ?? row.exchange, 32)
    return isDemo(row) ? `${shown} is for practice on ${venue}` : `${shown} trades REAL money on ${venue}`
  })
  return words.join('; ')
}

function lockedNotice(row: AccountRow | undefined, isLocked: BannerFacts['isLocked']): readonly Notice[] {
  if (row === undefined || !isLocked(row)) return []
  const text =
    `the vault with the keys of account ${printable(row.name, 40)} is locked, and this process asks nobody: ` +
    'set HOOKLINE_VAULT_PASSPHRASE_FILE and start it again, or type `vault unlock` and `cross-trade start` at the prompt'
  return [{ kind: 'warn', text }]
}

/** `3 copiers: 2 in step, 1 blocked`. */
export function engineStatus({ configs, copiers }: EngineReport): string {
  const rows = countOf(configs.filter(({ enabled }) => enabled).length, 'row')
  if (copiers.length === 0) return `${rows}, and no copier has anything to do`
  const counts = new Map<string, number>()
  for (const { state } of copiers) counts.set(state, (counts.get(state) ?? 0) + 1)
  const states = [...counts].map(([state, count]) => `${count} ${state.replaceAll('-', ' ')}`)
  return `${rows}, ${countOf(copiers.length, 'copier')}: ${states.join(', ')}`
}

/** Lines only when they say something new, and one now and then, so that a log shows that it lives. */
export class StatusLines {
  readonly #quietMs: number
  #last = ''
  #at = Number.NEGATIVE_INFINITY

  constructor(quietMs: number) {
    this.#quietMs = quietMs
  }

  /** @returns undefined: nothing new */
  next(text: string, now: number): string | undefined {
    if (text === this.#last && now - this.#at < this.#quietMs) return undefined
    this.#last = text
    this.#at = now
    return text
  }
}

function accountsOf(rows: readonly CrossTradeConfig[]): readonly string[] {
  const names = rows.flatMap(({ masterAccount, copiers }) => [masterAccount, ...copiers.map(({ account }) => account)])
  return [...new Set(names)]
}

function countOf(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? '' : 's'}`
}
