import { describe, expect, it } from 'vitest'
import type { Answer } from '../../src/client/questions.ts'
import { fillsFile, fillsFileName } from '../../src/web/pages/portfolio/fills-csv.ts'

type Page = Answer<'fills:query'>

const fill = (id: string, timestamp: number): Page['fills'][number] => ({
  ...{ account: 'paper', id, orderId: 'p1', symbol: 'BTCUSDT', side: 'buy', amount: '0.004', price: '60925.9' },
  timestamp,
})
const page = (fills: Page['fills'], more: Partial<Page> = {}): Page => ({
  ...{ t: 'fills:page', id: 'q', account: 'paper', gaps: [], fills },
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
    const lines = file.text.trimEnd().split('\n')
    expect(lines[0]).toBe(
      'time,symbol,side,amount,price,fee,fee_currency,pnl,pnl_currency,order,source,origin,run,fill',
    )
    expect(lines.slice(1).map((line) => line.split(',').at(-1))).toEqual(['a', 'b', 'c'])
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

  it('is named by what every file system takes', () => {
    expect(fillsFileName('../main a', '30d')).toBe('fills--main-a-30d.csv')
  })
})
