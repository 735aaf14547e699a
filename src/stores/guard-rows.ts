// The rows of guards.json (behaviour 40). A halt or a limit that would not hold because of a slip makes the whole file one that cannot be read.
import * as z from 'zod/mini'
import { $ZodError } from 'zod/v4/core'
import { name, time } from '../protocol/rows.ts'
import { firstDoubledKey } from './doubled-keys.ts'
import { nearName } from './near-name.ts'
import { rowsUnder } from './row-file.ts'

/** From what lets everything through to what lets nothing through but cancels. */
export const GUARD_STATES = ['active', 'reducing', 'halted'] as const
export type GuardState = (typeof GUARD_STATES)[number]

/** In the order in which they are shown. */
export const LIMITS = ['order', 'position', 'day', 'loss', 'band', 'rate'] as const
export type LimitName = (typeof LIMITS)[number]

/** A decimal in text, or `off`. Absent: the default of its kind of account. */
const limit = z.string().check(z.regex(/^(?:off|\d{1,15}(?:\.\d{1,8})?)$/, 'must be a number in quotes, or "off"'))
const state = z.enum(GUARD_STATES)

const mode = {
  state: z.exactOptional(state),
  /** When the state was said, and by what; for people: `the terminal`, `hook dip`. */
  since: z.exactOptional(time),
  by: z.exactOptional(z.string()),
  /** When the last one was said that has been lifted: who slept through it must not miss it. */
  last: z.exactOptional(time),
  /** Orders are worked out and not sent. */
  simulated: z.exactOptional(z.boolean()),
} as const

const limitFields = {
  order: z.exactOptional(limit),
  position: z.exactOptional(limit),
  day: z.exactOptional(limit),
  loss: z.exactOptional(limit),
  band: z.exactOptional(limit),
  rate: z.exactOptional(limit),
  /** What open positions have lost counts as loss too. Absent: it does. */
  lossWithOpen: z.exactOptional(z.boolean()),
} as const

const everyAccount = z.looseObject(mode)
const row = () => z.looseObject({ account: name, ...mode, limits: z.exactOptional(z.looseObject(limitFields)) })

export type GuardMode = Readonly<z.infer<typeof everyAccount>>
export type StoredLimits = Readonly<{ [limit in LimitName]?: string }> & { readonly lossWithOpen?: boolean }

export interface GuardRow extends GuardMode {
  readonly account: string
  readonly limits?: StoredLimits
}

export interface GuardsFile {
  /** Of every account. */
  readonly all?: GuardMode
  readonly guards: readonly GuardRow[]
}

/** How the file is read and written: spread it into the options of `createJsonFile`. */
export function guardRows() {
  const rows = rowsUnder<'guards', GuardRow, GuardsFile>('guards', row)
  return {
    ...rows,
    /** What holds for all accounts is beside the rows: where it cannot be read, the file cannot. */
    parse(...[value, setAside, text]: Parameters<typeof rows.parse>): GuardsFile {
      const content = rows.parse(value, setAside, text)
      if (content.all !== undefined) z.parse(everyAccount, content.all)
      refuseUnclear(content, text)
      return content
    },
  }
}

const IN_FILE = ['all', 'guards'] as const
const IN_ALL = ['state', 'since', 'by', 'last', 'simulated'] as const
const IN_ROW = [...IN_ALL, 'account', 'limits'] as const
const IN_LIMITS = [...LIMITS, 'lossWithOpen'] as const

/** A halt or a limit whose name is misspelt, or there twice, would not hold. @throws {$ZodError} */
function refuseUnclear(content: GuardsFile, text: string | undefined): void {
  const doubled = text === undefined ? undefined : firstDoubledKey(text)
  if (doubled !== undefined) throw fault([], `${JSON.stringify(doubled)} is there twice`)
  refuseNear(content, IN_FILE, [])
  refuseNear(content.all ?? {}, IN_ALL, ['all'])
  for (const [index, row] of content.guards.entries()) {
    refuseNear(row, IN_ROW, ['guards', index])
    refuseNear(row.limits ?? {}, IN_LIMITS, ['guards', index, 'limits'])
  }
}

function refuseNear(fields: object, known: readonly string[], path: readonly (string | number)[]): void {
  for (const name of Object.keys(fields).filter((each) => !known.includes(each))) {
    const near = nearName(name, known)
    if (near !== undefined) throw fault([...path, name], `is probably meant to be ${near}`)
  }
}

function fault(path: readonly (string | number)[], message: string): Error {
  return new $ZodError([{ code: 'custom', path: [...path], message, input: undefined }])
}
