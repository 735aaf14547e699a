// Each row is stated once: what a store keeps, what leaves, and what a page decodes are the same fields.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { SERVER_SAMPLES, whole } from '../../harness/wire/frame-samples.ts'
import type { Order, Position } from '../../src/exchange/order.ts'
import { decodeClientFrame, decodeServerFrame } from '../../src/protocol/decode.ts'
import {
  type AccountRow,
  accountRow,
  type CrossTradeRow,
  copierRow,
  crossTradeRow,
  type HookRow,
  hookRow,
  type OrderRow,
  orderRow,
  type PositionRow,
  pick,
  type TaskRow,
  taskRow,
} from '../../src/protocol/rows.ts'
import { openAccountStore, scrubAccount } from '../../src/stores/accounts.ts'
import { openCrossTrade, scrubCrossTradeConfig } from '../../src/stores/cross-trade.ts'
import { type Hook, openHookStore, scrubHook } from '../../src/stores/hooks.ts'
import { openTasks, scrubTask, type Task } from '../../src/stores/tasks.ts'

const UUID = '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'
const HEX = '0123456789abcdef'.repeat(2)

/** Every field that a row may have, and some that nobody knows. */
const FULL = {
  hook: {
    id: HEX,
    name: 'dip',
    secret: HEX,
    command: 'buy',
    account: 'main',
    createdAt: 1,
    note: 'n',
    parallel: 1,
    maxAgeMs: 5_000,
    dry: true,
    limits: { once: true },
    when: { text: 'last > 1', symbol: 'BTCUSDT', since: 1 },
    paused: { since: 1, by: 'terminal', note: 'n' },
  },
  account: {
    name: 'main',
    exchange: 'okx',
    apiKey: 'k',
    secret: 's',
    password: 'p',
    createdAt: 1,
    updatedAt: 2,
    privateKey: 'x',
    kind: 'linear',
    demo: true,
    credentials: { from: 'vault', path: 'x' },
  },
  task: {
    id: 't',
    kind: 'chase',
    account: 'main',
    symbol: 'X',
    command: 'c',
    runId: 'r',
    status: 'running',
    progress: 0.5,
    startedAt: 1,
    updatedAt: 2,
    apiKey: 'k',

    doing: 'rests at 65,000',
    reason: 'its time came',
    paused: true,
    protective: true,
    amount: '1',
    filled: '0.5',
    average: '65000',
    price: '65000',
    words: 'look',
    orderIds: ['p1'],
    endsAt: 3,
  },
  config: {
    id: UUID,
    enabled: true,
    masterAccount: 'main',
    masterSymbol: 'X',
    masterWeight: 1,
    updatedAt: 1,
    note: 'n',
    copiers: [{ account: 'c', symbol: 'Y', weight: -1, mode: 'Chase', slippage: '0.2', token: 't' }],
  },
}

function directoryWith(name: string, content: unknown): string {
  const directory = tempDirectory()
  writeFileSync(join(directory, name), JSON.stringify(content))
  return directory
}

const fieldsOf = (schema: { readonly def: { readonly shape: object } }) => Object.keys(schema.def.shape)

describe('a row of a file leaves with exactly the fields of the wire', () => {
  const cases = [
    {
      name: 'hook',
      schema: hookRow,
      sent: () =>
        openHookStore(directoryWith('hooks.json', { hooks: [FULL.hook] }))
          .list()
          .map(scrubHook),
      frame: (rows: unknown) => ({ t: 'state:hooks', hooks: rows }),
    },
    {
      name: 'account',
      schema: accountRow,
      sent: () =>
        openAccountStore(directoryWith('accounts.json', { accounts: [FULL.account] }))
          .list()
          .map(scrubAccount),
      frame: (rows: unknown) => ({ t: 'state:accounts', accounts: rows }),
    },
    {
      name: 'task',
      schema: taskRow,
      sent: () =>
        openTasks(directoryWith('tasks.json', { tasks: [FULL.task] }))
          .list()
          .map(scrubTask),
      frame: (rows: unknown) => ({ t: 'state:tasks', tasks: rows }),
    },
    {
      name: 'cross-trade config',
      schema: crossTradeRow,
      sent: () =>
        openCrossTrade(directoryWith('cross-trade.json', { configs: [FULL.config] }))
          .list()
          .map(scrubCrossTradeConfig),
      frame: (rows: unknown) => ({ t: 'state:cross-trade', running: false, configCount: 1, configs: rows }),
    },
  ]

  it.each(cases)('$name', ({ schema, sent, frame }) => {
    const rows = sent()
    expect(rows).toHaveLength(1)
    expect(rows.map(Object.keys)).toEqual([fieldsOf(schema)])
    expect(decodeServerFrame(JSON.stringify(frame(rows)))).toEqual({ ok: true, frame: frame(rows) })
  })

  it('and so do the rows in it', () => {
    const [config] = openCrossTrade(directoryWith('cross-trade.json', { configs: [FULL.config] })).list()
    const copiers = config && scrubCrossTradeConfig(config).copiers
    expect(copiers?.map(Object.keys)).toEqual([fieldsOf(copierRow)])
  })
})

describe('pick', () => {
  it('leaves out what is undefined or unknown', () => {
    const order = { ...whole(['state:portfolio', SERVER_SAMPLES['state:portfolio']]) } as { orders?: OrderRow[] }
    const [row] = order.orders ?? []
    const odd = { ...row, price: undefined, secret: 's' } as unknown as OrderRow
    expect(pick(orderRow, odd)).toEqual({ ...row, price: undefined })
    expect(Object.keys(pick(orderRow, odd))).not.toContain('price')
    expect(pick(orderRow, odd)).not.toHaveProperty('secret')
  })
})

describe('types', () => {
  it('of a store’s row and of the exchange have the fields of the wire', () => {
    expectTypeOf<Hook>().toExtend<Readonly<HookRow>>()
    expectTypeOf<Task>().toExtend<Readonly<TaskRow>>()
    expectTypeOf<Position>().toExtend<Readonly<PositionRow>>()
    expectTypeOf<Order>().toExtend<Readonly<OrderRow>>()
    expectTypeOf<ReturnType<typeof scrubAccount>>().toEqualTypeOf<Readonly<AccountRow>>()
    expectTypeOf<ReturnType<typeof scrubCrossTradeConfig>>().toEqualTypeOf<CrossTradeRow>()
    expectTypeOf<Hook['createdAt']>().toEqualTypeOf<number>()
    expectTypeOf<Task['status']>().toEqualTypeOf<'running' | 'done' | 'failed' | 'cancelled' | 'interrupted'>()
  })
})

describe('a word that came after this version', () => {
  const sample = (t: 'state:tasks' | 'state:portfolio' | 'state:cross-trade') => whole([t, SERVER_SAMPLES[t]])
  const changed = (t: Parameters<typeof sample>[0], list: string, field: string) => {
    const frame = structuredClone(sample(t)) as Record<string, Record<string, unknown>[]>
    const [row] = frame[list] ?? []
    if (row) row[field] = 'tomorrow'
    return frame
  }

  it.each([
    ['state:tasks', 'tasks', 'status'],
    ['state:tasks', 'tasks', 'kind'],
    ['state:portfolio', 'orders', 'type'],
    ['state:portfolio', 'orders', 'side'],
    ['state:portfolio', 'orders', 'status'],
    ['state:portfolio', 'positions', 'side'],
  ] as const)('%s: in %s, `%s` is taken as text', (t, list, field) => {
    const frame = changed(t, list, field)
    expect(decodeServerFrame(JSON.stringify(frame))).toEqual({ ok: true, frame })
  })

  it('is taken as the mode of a copier that hookline sends, and refused in one that a client sends', () => {
    const config = { ...FULL.config, copiers: [{ account: 'c', weight: 1, mode: 'Tomorrow' }] }
    const state = { t: 'state:cross-trade', running: false, configCount: 1, configs: [config] }
    expect(decodeServerFrame(JSON.stringify(state))).toMatchObject({
      ok: true,
      frame: { configs: [{ copiers: config.copiers }] },
    })
    const edit = { t: 'mutate:cross-trade-config', id: 'm', op: 'upsert', config }
    expect(decodeClientFrame(JSON.stringify(edit))).toMatchObject({
      ok: false,
      error: '`config.copiers.0.mode` must be one of Market, LimitSlippage, Chase',
    })
  })
})
