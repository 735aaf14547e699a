import { describe, expect, it } from 'vitest'
import { detailOf } from '../../src/commands/account/positions.ts'
import { type Board, lineOf, renderBoard, rowsOf, type Seen, STALE_MS } from '../../src/commands/account/watch-board.ts'
import type { Order, Position } from '../../src/exchange/order.ts'
import type { Task } from '../../src/stores/tasks.ts'
import { cellWidth } from '../../src/terminal/width.ts'
import { NO_HISTORY } from '../../src/trading/history/journal-history.ts'

const NOW = Date.UTC(2026, 0, 1, 12)

const long: Position = {
  symbol: 'BTCUSDT',
  side: 'long',
  amount: '0.006',
  entryPrice: '65000',
  settle: 'USDT',
  notional: '390.6',
  markPrice: '65100',
  unrealizedPnl: '0.6',
  liquidationPrice: '58000',
}
const short: Position = {
  ...long,
  symbol: 'ETHUSDT',
  side: 'short',
  amount: '0.5',
  entryPrice: '3000',
  markPrice: '3030',
  unrealizedPnl: '-15',
}

function order(fields: Partial<Order>): Order {
  return {
    id: 'p1',
    symbol: 'BTCUSDT',
    side: 'sell',
    type: 'stop',
    status: 'open',
    amount: '0.006',
    filled: '0',
    remaining: '0.006',
    reduceOnly: true,
    postOnly: false,
    timestamp: NOW - 65_000,
    ...fields,
  } as Order
}

const stop = order({ id: 'p2', triggerPrice: '64000' })

function seen(fields: Partial<Seen> = {}): Seen {
  const { positions = [long, short], orders = [stop] } = fields
  const known = { market: undefined, markets: [], orders, journal: NO_HISTORY }
  return {
    held: positions.map((position) => detailOf(position, known)),
    at: NOW,
    kind: 'linear',
    markets: [],
    ticker: { symbol: 'BTCUSDT', last: '65100', bid: '65099.9', ask: '65100.1', timestamp: NOW },
    balance: { currency: 'USDT', wallet: '10000', total: '9985.6', used: '200', free: '9785.6' },
    positions,
    orders,
    unsettled: 0,
    ...fields,
  }
}

function board(fields: Partial<Board> = {}): Board {
  return {
    account: 'paper',
    symbol: 'BTCUSDT',
    words: [],
    now: NOW,
    seen: seen(),
    isSilent: false,
    tasks: [],
    runs: [],
    news: [],
    ...fields,
  }
}

const KEYS = 'q leave'
function text(shown: Board, columns = 120, rows = 24, more = {}): string[] {
  return renderBoard(shown, { columns, rows, coloured: false, keys: KEYS, ...more }).map((line) => line.trimEnd())
}

describe('the screen of watch', () => {
  it('shows account, price, sums, positions with their protection, and orders', () => {
    expect(text(board(), 120, 13)).toEqual([
      expect.stringMatching(/^paper {2}BTCUSDT {2}65,100 {2}bid 65,099\.9 {2}ask 65,100\.1 +12:00:00 UTC$/),
      expect.stringMatching(/^equity \$9,985\.60 {2}1 bare {2}open -\$14\.40 {2}free \$9,785\.60 +updated just now$/),
      '',
      '  position  side   amount    value   entry    mark      pnl       %  liquidation    stop',
      '  BTCUSDT   long    0.006  $390.60  65,000  65,100   +$0.60  +0.15%       58,000  64,000',
      '  ETHUSDT   short   0.5    $390.60   3,000   3,030  -$15.00  -1.00%       58,000    bare',
      '',
      '  order  symbol   side  type  amount   price  flags     age',
      '  p2     BTCUSDT  sell  stop   0.006  64,000  reduce  1m 5s',
      '',
      '',
      '',
      KEYS,
    ])
  })

  it('shows tasks, runs and what the terminal would have printed', () => {
    const task = {
      id: 'ebfa0504-1',
      kind: 'trail',
      symbol: 'BTCUSDT',
      status: 'running',
      progress: 0.5,
      doing: 'stop at 64,000',
    }
    const lines = text(
      board({
        tasks: [task as Task],
        runs: [
          { runId: 'r1', source: 'hook', origin: 'dip', command: 'buy $250', startedAt: NOW - 3_000, state: 'running' },
          {
            runId: 'r2',
            source: 'repl',
            command: 'buy $1',
            startedAt: NOW - 9_000,
            state: 'failed',
            error: 'too small',
          },
        ],
        news: [{ text: 'first' }, { text: '[hook:dip] bought 0.004', tone: 'good' }],
      }),
    )
    expect(lines).toContain('  trail ebfa0504  BTCUSDT  running  ████···· 50%  stop at 64,000')
    expect(lines).toContain('  hook:dip  running   3s  buy $250')
    expect(lines).toContain('  terminal  failed    9s  buy $1    too small')
    expect(lines.slice(lines.indexOf('  news'))).toEqual([
      '  news',
      '  first',
      '  [hook:dip] bought 0.004',
      ...lines.slice(lines.indexOf('  [hook:dip] bought 0.004') + 1),
    ])
  })

  it.each([30, 40, 50, 60, 70])(
    'cuts no figure of its head at %i columns: what does not fit is left out',
    (columns) => {
      const [first = '', sums = ''] = text(board({ words: ['halted'] }), columns, 24)
      expect(`${first}\n${sums}`).not.toContain('…')
      expect(first).toMatch(/^paper {2}BTCUSDT {2}65,100/)
      expect(sums).toMatch(/^equity \$9,985\.60( {2}1 bare( {2}open -\$14\.40( {2}free \$9,785\.60)?)?)?\s*$/)
    },
  )

  it.each([60, 70, 80, 100, 140, 200])(
    'fits %i columns with the symbol, the side and the protection of each position',
    (columns) => {
      const lines = renderBoard(
        board({
          seen: seen({ orders: [stop, order({ id: 'x'.repeat(30), type: 'limit', price: '71000', postOnly: true })] }),
        }),
        {
          columns,
          rows: 30,
          coloured: false,
          keys: KEYS,
        },
      )
      expect(lines).toHaveLength(30)
      for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(columns)
      const all = lines.join('\n')
      expect(all).toMatch(/BTCUSDT +long .*64,000/)
      expect(all).toMatch(/ETHUSDT +short .*bare/)
      expect(all).toContain('1 bare')
      expect(lines.at(-2)).toMatch(
        columns < 100 ? /^\d+ columns? hidden(: [\w%, ]+)?; a wider terminal shows all$/ : /^(?!.*hidden)/,
      )
    },
  )

  it.each([1, 2, 3, 5, 8, 12, 40])('fits %i rows, and ends with the keys', (rows) => {
    const positions = Array.from({ length: 30 }, (_, index) => ({ ...long, symbol: `COIN${index}USDT` }))
    const lines = text(board({ seen: seen({ positions }) }), 100, rows)
    expect(lines).toHaveLength(rows)
    expect(lines.at(-1)).toBe(KEYS)
  })

  it('keeps the chosen row in sight, and counts the rows that have no room', () => {
    const positions = Array.from({ length: 30 }, (_, index) => ({ ...long, symbol: `COIN${index}USDT` }))
    const lines = text(board({ seen: seen({ positions }) }), 100, 12, { chosen: 'position COIN20USDT' })
    expect(lines.filter((line) => line.startsWith('> '))).toEqual([expect.stringContaining('COIN20USDT')])
    expect(lines.join('\n')).toContain('  … 25 more')
  })

  it.each([80, 120])('loses no word of a long line of news at %d columns', (columns) => {
    const words = Array.from({ length: 40 }, (_, index) => `w${index}`)
    const shown = text(board({ news: [{ text: words.join(' ') }] }), columns, 40).join(' ')
    expect(words.filter((word) => !shown.split(/\s+/).includes(word))).toEqual([])
  })

  it('shows the newest of the news where there is room for few', () => {
    const news = Array.from({ length: 50 }, (_, index) => ({ text: `line ${index}` }))
    const lines = text(board({ news }), 100, 14)
    const shown = lines.filter((line) => line.startsWith('  line '))
    expect(shown.length).toBeGreaterThan(1)
    expect(shown).toEqual(Array.from({ length: shown.length }, (_, index) => `  line ${50 - shown.length + index}`))
  })

  it('takes wide characters for two cells, and lets nothing of a venue steer the terminal', () => {
    const odd = { ...long, symbol: '柴犬币USDT' }
    const lines = renderBoard(
      board({
        account: '帳\u001b[2J戶',
        seen: seen({ positions: [odd], orders: [order({ id: 'p\u001b[31m\u0007x', triggerPrice: '64000' })] }),
        news: [{ text: 'a\u001b]0;title\u0007\u202eb' }],
        problem: 'no\u001b[2J answer',
        words: ['halted'],
      }),
      { columns: 62, rows: 20, coloured: false, keys: KEYS, remark: { text: 'ok\u001b[2J' } },
    )
    for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(62)
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
    const [heading, row] = lines.filter((line) => /position |柴犬币/.test(line))
    expect(cellWidth((heading ?? '').slice(0, (heading ?? '').indexOf('side')))).toBe(
      cellWidth((row ?? '').slice(0, (row ?? '').indexOf('long'))),
    )
  })

  it('has colours only where they are asked for, and says the same without', () => {
    const coloured = renderBoard(board({ words: ['panic'] }), {
      columns: 100,
      rows: 20,
      coloured: true,
      chosen: 'position BTCUSDT',
    })
    expect(coloured.join('\n')).toContain('\u001b[31mpanic\u001b[39m')
    expect(coloured.join('\n')).toContain('\u001b[7m> BTCUSDT')
    const plain = renderBoard(board({ words: ['panic'] }), {
      columns: 100,
      rows: 20,
      coloured: false,
      chosen: 'position BTCUSDT',
    })
    expect(coloured.map((line) => line.replace(/\u001b\[\d+m/g, ''))).toEqual(plain)
  })
})

describe('figures that are not of now', () => {
  it.each<[string, Partial<Board>, string]>([
    ['before the first answer', { seen: undefined as never }, 'asking the venue …'],
    ['where none has come', { seen: undefined as never, problem: 'no route' }, 'no figures: no route'],
    [
      'older than the limit',
      { seen: seen({ at: NOW - STALE_MS - 1_000 }) },
      'STALE, updated 16s ago: the venue does not answer',
    ],
    [
      'of a silent stream',
      { isSilent: true, seen: seen({ at: NOW - 2_000 }) },
      'STALE, updated 2s ago: no news from the venue',
    ],
    ['of a venue that refuses', { problem: 'rate limit' }, 'STALE, updated just now: rate limit'],
  ])('say so: %s', (_, fields, says) => {
    expect(text(board(fields))).toContain(says)
  })

  it('say nothing of it while they are new enough', () => {
    expect(text(board({ seen: seen({ at: NOW - STALE_MS }) })).join('\n')).not.toContain('STALE')
  })
})

describe('what covers a position', () => {
  it.each<[string, Order[], RegExp, string | undefined]>([
    ['nothing', [], /BTCUSDT .* bare$/, '1 bare'],
    ['a stop of all of it', [stop], /BTCUSDT .* 64,000$/, undefined],
    [
      'a stop of a part',
      [order({ triggerPrice: '64000', remaining: '0.002' })],
      /BTCUSDT .* 64,000, 0\.004 bare$/,
      '1 partly covered',
    ],
    [
      'a stop-limit',
      [order({ type: 'stop-limit', triggerPrice: '64000', price: '63900' })],
      /BTCUSDT .* 64,000 limit$/,
      undefined,
    ],
    ['a target alone', [order({ type: 'take-profit', triggerPrice: '70000' })], /BTCUSDT .* bare +70,000$/, '1 bare'],
  ])('is shown: %s', (_, orders, shown, sum) => {
    const lines = text(board({ seen: seen({ positions: [long], orders }) }))
    expect(lines.find((line) => line.startsWith('  BTCUSDT'))).toMatch(shown)
    expect(/\d bare|\d partly covered/.exec(lines[1] ?? '')?.[0]).toBe(sum)
  })
})

describe('the line that a key writes', () => {
  const [position, , sell] = rowsOf(board())
  const named = (id: string) => rowsOf(board({ seen: seen({ positions: [], orders: [order({ id })] }) }))[0]

  it.each([
    ['c', position, { line: 'close BTCUSDT' }],
    ['b', position, { line: 'stop BTCUSDT breakeven' }],
    ['x', sell, { line: 'cancel p2' }],
    ['x', named('all'), { line: 'cancel "all"' }],
    ['x', named('a; nuke --yes'), { line: 'cancel "a; nuke --yes"' }],
    ['x', named(`"'`), { why: 'this name cannot be typed' }],
    ['f', undefined, { line: 'nuke --yes', asksYes: true }],
    ['x', position, { why: 'choose an order first: x cancels one' }],
    ['c', sell, { why: 'choose a position first: c works on one' }],
    ['b', undefined, { why: 'no position and no order to choose' }],
  ] as const)('%s', (key, row, expected) => {
    expect(lineOf(key, row)).toEqual(expected)
  })
})
