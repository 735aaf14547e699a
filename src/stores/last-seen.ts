// `last-seen.json`: what accounts held when a hookline last looked, so that the next start can say what happened meanwhile (behaviour 34).
import { join } from 'node:path'
import * as z from 'zod/mini'
import { createJsonFile, type FileState, stateOf } from './json-file.ts'
import { recordOf } from './rows.ts'

const seenAccount = z.looseObject({
  /** Any number: one that no clock says is not believed, and no fault of the file. */
  at: z.number(),
  orders: z.array(
    z.looseObject({
      id: z.string(),
      symbol: z.string(),
      clientOrderId: z.exactOptional(z.string()),
      isTrigger: z.exactOptional(z.boolean()),
    }),
  ),
  positions: z.array(z.looseObject({ symbol: z.string(), side: z.enum(['long', 'short']), amount: z.string() })),
})

/** An account as it was last seen. */
export interface LastSeen {
  /** ms since the epoch. */
  readonly at: number
  readonly orders: readonly {
    readonly id: string
    readonly symbol: string
    readonly clientOrderId?: string
    readonly isTrigger?: boolean
  }[]
  readonly positions: readonly { readonly symbol: string; readonly side: 'long' | 'short'; readonly amount: string }[]
}

const fileSchema = z.looseObject({ accounts: z.exactOptional(z.record(z.string(), seenAccount)) })
interface SeenFile {
  readonly accounts?: Readonly<Record<string, LastSeen>>
}

export interface LastSeenStore extends FileState {
  find(account: string): LastSeen | undefined
  /** Keeps the later one. @throws {StoreError} */
  note(account: string, seen: LastSeen): Promise<void>
}

/** Clocks of processes on one machine differ by less. */
const MAX_AHEAD_MS = 60_000

export function openLastSeen(directory: string, now: () => number = Date.now): LastSeenStore {
  const file = createJsonFile<SeenFile>({
    path: join(directory, 'last-seen.json'),
    parse: recordOf<SeenFile>(fileSchema),
    defaults: {},
  })
  return {
    find: (account) => {
      const { accounts = {} } = file.read()
      return Object.hasOwn(accounts, account) ? accounts[account] : undefined
    },
    async note(account, seen) {
      await file.update((content) => {
        const known = content.accounts?.[account]
        // A time that is yet to come was not a look: a clock was wrong, or a hand.
        if (known !== undefined && known.at > seen.at && known.at <= now() + MAX_AHEAD_MS) return content
        return { ...content, accounts: { ...content.accounts, [account]: seen } }
      })
    },
    ...stateOf(file),
  }
}
