import { describe, expect, it } from 'vitest'
import { showTime } from '../../src/web/figures.ts'
import { noPnlWords } from '../../src/web/pages/hooks/hook-days.ts'
import { addedUp, olderOnes, uncounted } from '../../src/web/pages/portfolio/equity.ts'
import { whoAndNote } from '../../src/web/pages/portfolio/pnl-pane.tsx'
import { allNote, fallOf } from '../../src/web/pages/portfolio/portfolio-page.tsx'
import { barParts, hasOlder, madeRows, spanOf, startOf, wayOf } from '../../src/web/pages/portfolio/use-view.ts'
import { ordererCell } from '../../src/web/pages/trade/past-orders.tsx'
import { makerName } from '../../src/web/runs/use-runs.ts'

describe('the span in the address', () => {
  it('is a month where it is none', () => {
    expect([spanOf('1d').id, spanOf(null).id, spanOf('7 years').id]).toEqual(['1d', '1m', '1m'])
    expect(wayOf('<b>')).toBe('symbol')
  })

  it('is too short only where points are older than it', () => {
    const now = 86_400_005
    expect(hasOlder(spanOf('1d'), 4, now)).toBe(true)
    expect(hasOlder(spanOf('1d'), 5, now)).toBe(false)
    expect(hasOlder(spanOf('all'), 4, now)).toBe(false)
    expect(hasOlder(spanOf('1d'), undefined, now)).toBe(false)
  })

  it('has no beginning where all is wanted', () => {
    expect(startOf(spanOf('all'), 5)).toEqual({})
    expect(startOf(spanOf('1d'), 86_400_005)).toEqual({ from: 5 })
  })
})

describe('what was made', () => {
  const sum = (currency: string) => ({ currency, realized: '1', fees: '0.5', funding: '0', net: '0.5' })

  it('has a row for each currency, which are never added', () => {
    const sums = [sum('USDT'), sum('BTC')]
    const rows = madeRows({ groups: [{ key: 'BTCUSDT', fills: 3, sums }], total: { key: '', fills: 3, sums } })
    expect(rows.map(({ key, currency, net }) => [key, currency, net])).toEqual([
      ['BTCUSDT', 'USDT', '0.5'],
      ['BTCUSDT', 'BTC', '0.5'],
    ])
  })

  it('has a row of nothing for who filled only what others opened: the fills add up', () => {
    const groups = [
      { key: 'hook:tv', fills: 1, sums: [] },
      { key: 'web:page', fills: 8, sums: [sum('USDT')] },
    ]
    const rows = madeRows({ groups, total: { key: '', fills: 9, sums: [sum('USDT')] } })
    expect(rows.map(({ key, fills, net, currency }) => [key, fills, net, currency])).toEqual([
      ['hook:tv', 1, '0', 'USDT'],
      ['web:page', 8, '0.5', 'USDT'],
    ])
  })

  it('is with who opened: a hook that only closed says how many fills it had', () => {
    expect(noPnlWords({ fills: 0, sums: [] })).toEqual({ value: 'no fills' })
    expect(noPnlWords({ fills: 1, sums: [] })).toEqual({ value: 'opened nothing', aside: '1 exit fill' })
    expect(noPnlWords({ fills: 2, sums: [] })?.aside).toBe('2 exit fills')
    expect(noPnlWords({ fills: 1, sums: [sum('USDT')] })).toBeUndefined()
  })

  it('has who opened a trade apart from what was noted of it', () => {
    const note = { note: 'late entry', tags: ['fomo'] }
    expect(whoAndNote({ by: 'hook:dip', ...note })).toBe('hook dip: late entry #fomo')
    expect([whoAndNote(note), whoAndNote({ by: 'hook:dip' }), whoAndNote({})]).toEqual([
      'late entry #fomo',
      'hook dip',
      '',
    ])
  })

  it('has bars against the greatest of the same currency', () => {
    const of = (net: string, currency = 'USDT') => ({ ...sum(currency), net, key: net, fills: 1 })
    const rows = [of('-10'), of('5'), of('0.001', 'BTC'), of('0', 'ETH')]
    expect([...barParts(rows).values()]).toEqual([1, 0.5, 1, 0])
  })

  it('is worth in all accounts the exact sum of each currency', () => {
    const row = (currency: string, total: string) => ({ account: total, currency, at: 1, total, wallet: '0' })
    expect(addedUp([row('BTC', '1'), row('USDT', '0.1'), row('USDT', '0.2')])).toEqual([
      { currency: 'USDT', total: '0.3', accounts: 2 },
      { currency: 'BTC', total: '1', accounts: 1 },
    ])
    expect(addedUp([])).toEqual([])
  })

  it('counts the shown account in all of them as it is now', () => {
    const rows = [
      { account: 'paper', currency: 'USDT', at: 1, total: '100', wallet: '0' },
      { account: 'swing', currency: 'USDT', at: 1, total: '1', wallet: '0' },
    ]
    expect(addedUp(rows, { account: 'paper', balance: { currency: 'USDT', total: '90' } })[0]?.total).toBe('91')
    expect(addedUp(rows, { account: 'paper', balance: { currency: 'BTC', total: '90' } })[0]?.total).toBe('101')
  })

  it('names the accounts that no sum has, and why', () => {
    const counted = [{ account: 'paper', currency: 'USDT', at: 1, total: '100', wallet: '100' }]
    const accounts = [{ name: 'paper' }, { name: 'swing' }, { name: 'coins', kind: 'spot' }]
    const unused = uncounted(accounts, counted)
    expect(allNote(addedUp(counted), [], unused)).toBe('without swing (not read yet), coins (spot), USDT, one account')
    expect(allNote(addedUp(counted), [], uncounted([{ name: 'paper' }], counted))).toBe('USDT, one account')
    expect(allNote([], [], ['swing (not read yet)'])).toBe('none in use')
  })

  it('names the accounts whose worth is not of now', () => {
    const now = Date.UTC(2026, 10, 29, 21, 10)
    const row = (account: string, at: number) => ({ account, currency: 'USDT', at, total: '1', wallet: '1' })
    const rows = [row('paper', now - 600_000), row('scalp', now - 60_000), row('swing', now - 240_000)]
    expect(olderOnes(rows, 'paper', now)).toEqual([`swing as of ${showTime(now - 240_000, now)}`])
    expect(olderOnes(rows, undefined, now)).toHaveLength(2)
  })

  it('fell as deep as `session` counts, and shows none where it never fell or is not known', () => {
    const maxDrawdown = { currency: 'USDT', amount: '100', percent: '1.00', from: 1, to: 2 }
    expect(fallOf({ maxDrawdown })).toBe('-1.00')
    expect(fallOf({ maxDrawdown: { ...maxDrawdown, amount: '0', percent: '0.00' } })).toBeUndefined()
    expect(fallOf({ maxDrawdown: { ...maxDrawdown, amount: '0.03', percent: '0.00' } })).toBeUndefined()
    expect([fallOf({}), fallOf(undefined)]).toEqual([undefined, undefined])
  })

  it('names the task that ordered before who has begun it', () => {
    expect(ordererCell({ by: 'web:console in Chrome on Linux', taskId: 't' })).toBe('task, page Chrome on Linux')
    expect([ordererCell({ by: 'repl' }), ordererCell({})]).toEqual(['by hand', '–'])
  })

  it('names who ordered, and a later kind as it came', () => {
    const names = ['hook:dip', 'web:console in Chrome on Linux', 'repl', 'other', 'later:x', 'exec:every fb3da541'].map(
      makerName,
    )
    expect(names).toEqual([
      'hook dip',
      'page Chrome on Linux',
      'by hand',
      'not known to hookline',
      'later:x',
      'task every fb3da541',
    ])
  })
})
