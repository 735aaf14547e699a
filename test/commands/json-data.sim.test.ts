import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import type { CommandData } from '../../src/commands/kit/data.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import type { KeptOutput, RunSummary } from '../../src/runs/run.ts'
import { createJsonPrinter } from '../../src/terminal/json-printer.ts'
import type { RunOrder } from '../../src/trading/history/journal-history.ts'
import { withEngine, withRows } from './cross-trade-stages.ts'
import { JSON_SHAPES } from './json-schemas.ts'
import { TASK_STAGE } from './task-stages.ts'

type ShapeName = keyof typeof JSON_SHAPES

/** The types that commands answer with, as the union says: adding one there without a line here does not compile. */
const ANSWERED_BY: Readonly<Record<CommandData['type'], string>> = {
  ticker: 'price',
  book: 'book 2',
  markets: 'markets btc',
  balances: 'balance',
  positions: 'buy 0.01 BTCUSDT; positions',
  orders: 'buy 0.01 BTCUSDT at -1%; orders',
  order: 'buy 0.01 BTCUSDT stop -2%',
  fills: 'buy 0.01 BTCUSDT; fills',
  trades: 'buy 0.01 BTCUSDT; close; trades',
  'order-history': 'buy 0.01 BTCUSDT stop -2%; orders --all',
  pnl: 'buy 0.01 BTCUSDT; close; pnl --by hook',
  tax: 'buy 0.01 BTCUSDT #x; close; export --tax 2026',
  session: 'buy 0.01 BTCUSDT stop -2%; close; session',
  canceled: 'buy 0.01 BTCUSDT at -1%; cancel',
  amended: 'buy 0.01 BTCUSDT at -1% tp +4%; amend BTCUSDT at -2%',
  sliced: 'scale buy 0.01 BTCUSDT into 2 from -1% to -2%',
  margin: 'leverage',
  exchanges: 'exchanges',
  accounts: 'account',
  'account-check': 'account check',
  'account-proof': 'account prove paper --demo --yes',
  'all-balances': 'account balances',
  vault: 'vault',
  hooks: 'hook create dip "echo ok"; hooks',
  hook: 'hook create dip "echo ok"',
  proposals: 'proposals',
  clients: 'clients',
  variables: 'set @size $250; set',
  aliases: 'alias z "cancel; close"; alias',
  runs: 'runs',
  run: 'runs show 5a0e81c2',
  'hook-log': 'hook logs dip',
  tasks: 'tasks',
  task: 'tasks show 3f9c2a71',
  replay: 'paper replay examples/candles/crash.csv --background; paper replay status',
  'hook-replay': 'hook replay --when "every 2h" "buy $1000 BTCUSDT stop -2%" --candles examples/candles/chop.csv',
  listener: 'listener',
  switches: 'switch',
  status: 'status',
  watch: 'buy 0.01 BTCUSDT stop -2%; watch --once',
  would: 'sim on; buy 0.01 BTCUSDT',
  preview: 'hook create alert "buy {size:usd<=500} stop -2%"; hook test alert size=250',
  alert: 'alert BTCUSDT > 70000 "look"',
  when: 'when last > 70000 (buy $50)',
  schedule: 'every day 09:00 (buy $50)',
  'task-plan':
    'buy 0.01 BTCUSDT; chase buy 0.01 BTCUSDT to 1%; twap buy 0.01 BTCUSDT into 2 over 1h limit +1% --dry; dca buy $1000 BTCUSDT into 4 every -1% stop -6% --dry; grid $1000 into 5 from -4% to +4% --dry; trail 1% after +2%',
  guards: 'halt; guards set paper order $500; guards',
  'cross-trade': 'cross-trade',
  'cross-trade-row': 'account add swing paper; cross-trade add --master paper --copier swing',
  'cross-trade-plan': 'cross-trade resync 3f9c2a71 --yes',
  notices: 'notices add desktop; notices',
  'sign-in': 'login --issuer https://id.example.com; whoami',
  'login-code': 'login --issuer https://id.example.com',
  error: 'buy $1',
}

const PAST: RunSummary = {
  runId: '5a0e81c2-6f1d-4c0a-9a57-1d2f6c3b8e90',

  source: 'hook',
  origin: 'dip',
  hookId: 'ac4de871068ca99e314bdbc8f52809f1',
  command: 'buy 0.01',
  account: 'paper',
  startedAt: 1_795_326_743_949,
  finishedAt: 1_795_326_743_990,
  state: 'failed',
  error: 'no',
}

const KEPT: { readonly output: KeptOutput; readonly orders: readonly RunOrder[] } = {
  output: { lines: [[12, 'print', 'one']], steps: [[0, 12, true, 'buy 0.01']], leftOut: 0 },
  orders: [
    {
      clientOrderId: '5a0e81c26f1d4c0a9a57000000000000',
      orderId: 'p1',
      account: 'paper',
      at: 1_795_326_743_960,
      symbol: 'BTCUSDT',
      side: 'buy',
      type: 'market',
      amount: '0.01',
      state: 'closed',
      filled: '0.01',
      average: '56388.9',
    },
  ],
}

const PROOF = {
  facts: [{ about: 'an order', what: 'that was never placed is order-not-found', verdict: 'holds', tookMs: 210 }],
  isWhole: true,
  files: ['proofs/practice-2026-11-23-141500.json', 'proofs/practice-2026-11-23-141500.recording.jsonl'],
} as const

/** The scripted market offers any amount, which is no figure. */
function withBook(paper: Exchange): Exchange {
  const levels = [
    ['65000', '0.1'],
    ['64999', '2'],
  ] as const
  const fetchOrderBook = async (symbol: string) => ({ symbol, bids: levels, asks: levels, timestamp: 1 })
  return new Proxy(paper, {
    get: (target, name) => (name === 'fetchOrderBook' ? fetchOrderBook : Reflect.get(target, name)),
  })
}

/** `runId`, `source` and `origin` stand beside every shape. */
function readShape(value: unknown): unknown {
  const { type } = value as { readonly type: string }
  // A run's own are part of its shape.
  if (type === 'run') return JSON_SHAPES.run.parse(value)
  const { runId: _runId, source: _source, origin: _origin, ...rest } = value as Record<string, unknown>
  const shape = JSON_SHAPES[rest.type as ShapeName]
  expect(shape, `no shape ${String(rest.type)}`).toBeDefined()
  return shape.parse(rest)
}

function documented(): readonly unknown[] {
  const text = readFileSync(join(import.meta.dirname, '../../docs/json.md'), 'utf8')
  return [...text.matchAll(/```json\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  )
}

describe('what commands answer to programs', () => {
  it.each(Object.entries(ANSWERED_BY))('is of the documented shape: %s', async (type, line) => {
    const runs = [PAST]
    const session = await createSession({
      runs,
      kept: KEPT,
      ...(line.startsWith('tasks') ? TASK_STAGE.options : {}),
      ...(type === 'book' ? { exchange: withBook } : {}),
      proveAccount: async () => PROOF,
    })
    if (line.startsWith('tasks')) await session.tasks.look()
    if (type === 'hook-log') {
      await session.run('hook create dip "buy 0.01"')
      const [hook] = session.ports.hooks.list()
      runs[0] = { ...PAST, hookId: hook?.id ?? '' }
    }
    if (line.startsWith('cross-trade')) {
      await withRows(session)
      await withEngine(session)
    }
    const run = session.start(line)
    await run.done
    expect(run.data.map(({ type }) => type)).toContain(type)
    for (const data of run.data) readShape(JSON.parse(JSON.stringify(data)))
  })

  it('has every field of a hook in an example', async () => {
    const session = await createSession()
    const shown = documented().filter((each) => (each as { readonly type: string }).type === 'hook')
    const inExamples = new Set(shown.flatMap((each) => Object.keys(each as object)))
    const run = session.start('hook create tv "buy {size:usd<=500}"')
    await run.done
    const answered = run.data.filter(({ type }) => type === 'hook').flatMap((data) => Object.keys(data))
    expect(answered).toContain('alert')
    expect(answered.filter((field) => !inExamples.has(field) && field !== 'parallel')).toEqual([])
  })

  it('says nothing is there by an empty list', async () => {
    const session = await createSession()
    for (const line of [
      'positions',
      'orders',
      'fills',
      'trades',
      'orders --all',
      'hooks',
      'runs',
      'tasks',
      'set',
      'alias',
      'cancel',
    ]) {
      const run = session.start(line)
      await run.done
      const lists = Object.values(run.data[0] ?? {}).filter((value) => typeof value === 'object')
      expect(
        lists.flatMap((list) => Object.keys(list)),
        line,
      ).toEqual([])
      expect(lists, line).not.toEqual([])
    }
  })

  it('tells the fills of an order', async () => {
    const session = await createSession()
    const run = session.start('buy 0.01 BTCUSDT')
    await run.done
    expect(run.data).toMatchObject([
      { type: 'order', event: 'filled', symbol: 'BTCUSDT', order: { filled: '0.01' }, trades: [{ amount: '0.01' }] },
    ])
  })

  it('gives a failed step its stable code', async () => {
    const session = await createSession()
    const run = session.start('buy $1')
    await run.done
    expect(run.data).toMatchObject([{ type: 'error', code: expect.stringMatching(/^[a-z-]+$/) }])
  })

  it('hides the token of a hook where its text form does', async () => {
    const session = await createSession()
    await session.run('hook create dip "echo ok"')
    const [hook] = session.ports.hooks.list()
    const shown = session.start('hook show dip'.replace('dip', hook?.id ?? ''), { source: 'web' })
    await shown.done
    expect(shown.data).toMatchObject([{ type: 'hook', token: '<hidden>' }])
    expect(JSON.stringify(shown.data)).not.toContain(hook?.secret)
  })
})

describe('docs/json.md', () => {
  it('shows at least one example of every shape, and no others', () => {
    const shown = documented().map((example) => (example as { type: string }).type)
    expect([...new Set(shown)].sort()).toEqual(Object.keys(JSON_SHAPES).sort())
  })

  it.each(documented().map((example) => [JSON.stringify(example).slice(0, 60), example]))(
    'shows %s as it is',
    (_name, example) => {
      readShape(example)
    },
  )
})

describe('JSON lines', () => {
  const run = { runId: '5a0e', source: 'repl', command: 'price' } as const

  function printed(act: (printer: ReturnType<typeof createJsonPrinter>) => void): unknown[] {
    const lines: string[] = []
    act(createJsonPrinter((line) => lines.push(line)))
    return lines.map((line) => JSON.parse(line) as unknown)
  }

  it('print data where there is data, and text as a message where there is none', () => {
    const lines = printed(({ sink }) => {
      sink.output?.(run, 'print', 'BTCUSDT 65,000', { type: 'ticker' })
      sink.output?.(run, 'info', 'no hooks')
      sink.done?.(run, { success: false, error: 'no' }, { acceptedAt: 0, endedAt: 0 })
    })
    expect(lines).toEqual([
      { type: 'ticker', runId: '5a0e' },
      { type: 'message', kind: 'info', text: 'no hooks', runId: '5a0e' },
      { type: 'result', success: false, error: 'no', runId: '5a0e' },
    ])
  })

  it('say whose they are when a hook or a page caused them', () => {
    const lines = printed(({ sink, print }) => {
      sink.output?.({ ...run, source: 'hook', origin: 'dip' }, 'print', 'one')
      print('warn', 'the listener is off')
    })
    expect(lines).toEqual([
      { type: 'message', kind: 'print', text: 'one', runId: '5a0e', source: 'hook', origin: 'dip' },
      { type: 'notice', kind: 'warn', text: 'the listener is off' },
    ])
  })

  it('stay one line each whatever the text holds', () => {
    const lines: string[] = []
    createJsonPrinter((line) => lines.push(line)).sink.output?.(run, 'print', 'a\nb\u2028c\u0007')
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toMatch(/[\n\r]/)
  })
})
