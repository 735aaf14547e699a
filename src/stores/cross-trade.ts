// `cross-trade.json` (behaviour 24): which account's positions are mirrored onto which others. Pages edit it too, so
// the last write wins. A tombstone is an inert row, disabled and without copiers: a reader that overlooks `deletedAt`
// trades nothing.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { checkedBy } from './json-fault.ts'
import { createJsonFile, updateReturning } from './json-file.ts'
import { editedAt, isLive, isNewer, withRow } from './last-write-wins.ts'
import { latestDerived } from './latest-derived.ts'
import type { StoreProblem } from './store-error.ts'

export interface CrossTradeCopier {
  readonly account: string
  /** Absent: the symbol of the position mirrored. */
  readonly symbol?: string
  /** Negative: trades the other way. */
  readonly weight: number
  readonly mode: 'Market' | 'LimitSlippage' | 'Chase'
}

/** A row of `cross-trade.json`. Fields we do not know are kept, through a tombstone too. */
export interface CrossTradeConfig {
  /** A UUID. */
  readonly id: string
  readonly enabled: boolean
  readonly masterAccount: string
  /** Absent: all symbols. */
  readonly masterSymbol?: string
  readonly masterWeight: number
  readonly copiers: readonly CrossTradeCopier[]
  /** ms since the epoch, as all times here. */
  readonly updatedAt: number
  /** Set on tombstones, which go after 30 days. */
  readonly deletedAt?: number
}

/** A live row as it may leave the process. */
export type ScrubbedCrossTradeConfig = Omit<CrossTradeConfig, 'copiers' | 'deletedAt'> & {
  readonly copiers: CrossTradeCopier[]
}

/** A live row as it comes in. Without `updatedAt` it is an edit made now, which wins. */
export type CrossTradeEdit = Omit<CrossTradeConfig, 'updatedAt' | 'deletedAt'> & { readonly updatedAt?: number }

export interface CrossTradeStore {
  /** Live rows, by id. The same reference as long as the file stays. */
  list(): readonly CrossTradeConfig[]
  /** Tombstones too, as in the file. */
  all(): readonly CrossTradeConfig[]
  /**
   * Last write wins on strictly greater `updatedAt`, tombstones included. Known fields that the edit leaves out go.
   * @returns the row as it is now
   * @throws {StoreError} `invalid-value`
   */
  merge(edit: CrossTradeEdit): Promise<{ readonly applied: boolean; readonly row: CrossTradeConfig }>
  /**
   * As `merge`. The delete of an unknown id is kept too, against an older edit that comes later. Default `updatedAt`: now.
   * @throws {StoreError} `invalid-value`
   */
  remove(id: string, updatedAt?: number): Promise<{ readonly applied: boolean }>
  problem(): StoreProblem | undefined
  watch(handler: () => void): () => void
}

const time = z.int().check(z.nonnegative('must not be negative'))
/** As long as the wire carries (PROTOCOL.md, Limits): pages could not read the topic with a longer one in it. */
const named = z.string().check(z.maxLength(64, 'is longer than 64 characters'))
const name = named.check(z.minLength(1, 'must not be empty'))
const MAX_COPIERS = 100

const fileSchema = z.looseObject({
  configs: z.array(
    z
      .looseObject({
        id: z.string().check(z.uuid('must be a UUID')),
        enabled: z.boolean(),
        masterAccount: named,
        masterSymbol: z.exactOptional(name),
        masterWeight: z.number(),
        copiers: z
          .array(
            z.looseObject({
              account: name,
              symbol: z.exactOptional(name),
              weight: z.number(),
              mode: z.enum(['Market', 'LimitSlippage', 'Chase'], 'must be Market, LimitSlippage or Chase'),
            }),
          )
          .check(z.maxLength(MAX_COPIERS, `has more than ${MAX_COPIERS} copiers`)),
        updatedAt: time,
        deletedAt: z.exactOptional(time),
      })
      .check(z.refine(hasMasterWhileLive, { path: ['masterAccount'], error: 'must not be empty' })),
  ),
})

function hasMasterWhileLive(row: { readonly masterAccount: string; readonly deletedAt?: number }): boolean {
  return row.masterAccount !== '' || row.deletedAt !== undefined
}

interface CrossTradeFile {
  readonly configs: readonly CrossTradeConfig[]
}

const INERT = { enabled: false, masterAccount: '', masterWeight: 0, copiers: [] } as const

export function openCrossTrade(directory: string, now: () => number = Date.now): CrossTradeStore {
  const file = createJsonFile<CrossTradeFile>({
    path: join(directory, 'cross-trade.json'),
    parse: checkedBy<CrossTradeFile>(fileSchema),
    defaults: { configs: [] },
  })
  const live = latestDerived(({ configs }: CrossTradeFile) =>
    configs.filter(isLive).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  )

  function apply(id: string, updatedAt: number | undefined, edit: Omit<CrossTradeConfig, 'id' | 'updatedAt'>) {
    return updateReturning(file, (content) => {
      const stored = content.configs.find((row) => row.id === id)
      const row = { ...unknownFields(stored), ...edit, id, updatedAt: updatedAt ?? editedAt(now(), stored) }
      if (stored !== undefined && !isNewer(row, stored)) return [content, { applied: false, row: stored }]
      const configs = withRow(content.configs, { row, replaces: (other) => other.id === id, now: now() })
      return [
        { ...content, configs },
        { applied: true, row },
      ]
    })
  }

  return {
    list: () => live(file.read()),
    all: () => file.read().configs,
    merge: ({ id, updatedAt, ...edit }) => apply(id, updatedAt, edit),
    async remove(id, updatedAt) {
      const { applied } = await apply(id, updatedAt, { ...INERT, deletedAt: now() })
      return { applied }
    },
    problem: file.problem,
    watch: file.watch,
  }
}

/** Field by field, so that nothing unknown in the file leaves. */
export function scrubCrossTradeConfig(row: CrossTradeConfig): ScrubbedCrossTradeConfig {
  const { id, enabled, masterAccount, masterSymbol, masterWeight, updatedAt } = row
  return {
    id,
    enabled,
    masterAccount,
    ...(masterSymbol !== undefined && { masterSymbol }),
    masterWeight,
    copiers: row.copiers.map(scrubCopier),
    updatedAt,
  }
}

function scrubCopier({ account, symbol, weight, mode }: CrossTradeCopier): CrossTradeCopier {
  return { account, ...(symbol !== undefined && { symbol }), weight, mode }
}

/** What the row replaced keeps: an edit without `masterSymbol` means all symbols, not the old one. */
function unknownFields(stored: CrossTradeConfig | undefined): object {
  if (stored === undefined) return {}
  const { id, enabled, masterAccount, masterSymbol, masterWeight, copiers, updatedAt, deletedAt, ...unknown } = stored
  return unknown
}
