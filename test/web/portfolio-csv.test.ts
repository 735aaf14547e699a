import { describe, expect, it } from 'vitest'
import type { Answer } from '../../src/client/questions.ts'
import { csvName, equityFile, fillsFile, pnlFile } from '../../src/web/pages/portfolio/csv-files.ts'

type Page = Answer<'fills:query'>

const fill = (id: string, timestamp: number): Page['fills'][number] => ({
  account: 'paper',
  id,
  orderId: 'p1',
  symbol: 'BTCUSDT',
  side: 'buy',
  amount: '0.004',
  price: '60925.9',
  timestamp,
})
const page = (fills: Page['fills'], more: Partial<Page> = {}): Page => ({
  t: 'fills:page',
  id: 'q',
  account: 'paper',
  gaps: [],
  fills,
  ...more,
})

describe('the file of fills', () => {
  it('holds every page, oldest first', async () => {
    const cursors: unknown[] = []
    const pages = [page([fill('c', 3_000), fill('b', 2_000)], { next: 'n1' }), page([fill('a', 1_000)])]
    const file = await fillsFile(async ({ cursor }) => {
      cursors.push(cursor)
      return pages[cursors.length - 1] as Page
    }, {})
    expect(cursors).toEqual([undefined, 'n1'])
    const lines = file.text.trimEnd().split('\r\n')
    expect(lines[0]).toBe(
      'time,symbol,side,amount,price,fee,fee_currency,pnl,pnl_currency,order,source,origin,run,fill,tags,note',
    )
    expect(lines.slice(1).map((line) => line.split(',').at(-3))).toEqual(['a', 'b', 'c'])
    expect(lines[1]).toMatch(/^1970-01-01T00:00:01\.000Z,BTCUSDT,buy,0\.004,60925\.9,/)
    expect(file.rows).toBe(3)
  })

  it('holds no cell that a spreadsheet runs', async () => {
    const row = { ...fill('a', 1), origin: '=HYPERLINK("http://x")', symbol: '@SUM(1)' }
    const { text } = await fillsFile(async () => page([row]), {})
    expect(text).toContain(`,'@SUM(1),`)
    expect(text).toContain(`,"'=HYPERLINK(""http://x"")",`)
  })

  it('tells each gap once, and that it was cut', async () => {
    const endless = page([fill('a', 1)], { gaps: ['the venue was silent'], next: 'again' })
    const { gaps } = await fillsFile(async () => endless, {})
    expect(gaps).toEqual(['the venue was silent', 'only the newest 500 fills are in it: choose a shorter span'])
  })

  it('has the line ends of RFC 4180, also after its last line', async () => {
    const { text } = await fillsFile(async () => page([fill('a', 1_000)]), {})
    expect(text).toMatch(/fill,tags,note\r\n1970-.*,a,,\r\n$/)
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it('is named by what every file system takes', () => {
    expect(csvName('fills', '../main a', '1m')).toBe('fills--main-a-1m.csv')
  })
})

describe('the file of what was made', () => {
  const sums = (currency: string, net: string) => ({
    currency,
    net,
    realized: '-0.00000001',
    fees: '0.5',
    funding: '0',
  })

  it('has exact figures, a line for each currency, and losses that stay numbers', () => {
    const file = pnlFile({
      t: 'pnl:page',
      id: 'q',
      by: 'hook',
      accounts: ['paper'],
      gaps: ['a gap'],
      groups: [{ key: 'hook:=cmd', fills: 3, sums: [sums('USDT', '-12.30'), sums('BTC', '0.00000001')] }],
      total: { key: 'total', fills: 3, sums: [] },
    })
    expect(file.text).toBe(
      [
        'hook,currency,net,realized,fees,funding,fills',
        'hook:=cmd,USDT,-12.30,-0.00000001,0.5,0,3',
        'hook:=cmd,BTC,0.00000001,-0.00000001,0.5,0,3',
        '',
      ].join('\r\n'),
    )
    expect(file).toMatchObject({ rows: 2, gaps: ['a gap'] })
  })

  it('runs nothing in a spreadsheet, whatever a hook is called', () => {
    const names = ['=1+1', '+1', '-1+cmd', '@SUM(1)', '\t=1', '＝1', 'a"b', 'a,b', ' a']
    const groups = names.map((key) => ({ key, fills: 1, sums: [sums('USDT', '1')] }))
    const { text } = pnlFile({
      t: 'pnl:page',
      id: 'q',
      by: 'hook',
      accounts: [],
      gaps: [],
      groups,
      total: { key: 'total', fills: 0, sums: [] },
    })
    const cells = text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.slice(0, line.indexOf(',USDT')))
    expect(cells).toEqual([
      "'=1+1",
      "'+1",
      "'-1+cmd",
      "'@SUM(1)",
      expect.stringContaining("'"),
      "'＝1",
      '"a""b"',
      '"a,b"',
      '" a"',
    ])
    expect(cells.every((cell) => !/^"?\s*[=+@＝-]/.test(cell))).toBe(true)
  })
})

describe('the file of equity', () => {
  it('has a line for each point, exact', () => {
    const { text, rows } = equityFile({
      t: 'equity:page',
      id: 'q',
      account: 'paper',
      currency: 'USDT',
      points: [[1_000, '10000.10', '9999.999999999']],
    })
    expect(text).toBe(
      'time,account,currency,equity,wallet\r\n1970-01-01T00:00:01.000Z,paper,USDT,10000.10,9999.999999999\r\n',
    )
    expect(rows).toBe(1)
  })
})
