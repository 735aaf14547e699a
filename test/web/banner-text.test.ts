import { describe, expect, it } from 'vitest'
import type { ConnectionState } from '../../src/client/connection-state.ts'
import { type BannerFacts, bannerText } from '../../src/web/shell/banner.tsx'

const WELCOMED: ConnectionState = { name: 'welcomed', listenerId: 'l', email: '', since: 0, failures: 0 }
const FLAGS = { remoteExec: true, accountSync: true, invalidFiles: 0 }
/** Said now, and read whole. */
const NOW = { lostAt: undefined, silentSince: undefined, unread: {}, market: undefined }
const FOCUS = { account: 'paper', symbol: 'BTCUSDT' }

function titleOf(facts: Partial<BannerFacts>) {
  const all = {
    connection: WELCOMED,
    access: undefined,
    portfolio: undefined,
    chosen: {},
    flags: FLAGS,
    focus: FOCUS,
    ...NOW,
    ...facts,
  }
  return bannerText(all, (ms) => `at ${ms}`)?.title
}

describe('the banner', () => {
  it('is not there while nothing is wrong', () => {
    expect(titleOf({})).toBeUndefined()
  })

  it('is not there for a symbol that the account has not: the account answers', () => {
    const market = { ...FOCUS, symbol: 'NOPE', problem: 'paper has no market NOPE' }
    expect(titleOf({ market })).toBe('paper does not answer.')
    expect(titleOf({ market: { ...market, unlisted: true } })).toBeUndefined()
  })

  it('says the worst of all that is wrong', () => {
    const wrong = {
      flags: { remoteExec: false, accountSync: false, invalidFiles: 2, guard: 'halted' },
      focus: { ...FOCUS, stale: true },
    }
    const other: ConnectionState = { name: 'other-listener', expected: 'a', got: 'b' }
    expect(titleOf({ ...wrong, connection: other })).toBe('This is not the hookline this browser knows.')
    expect(titleOf(wrong)).toBe('Halted.')
    expect(titleOf({ ...wrong, flags: { ...wrong.flags, guard: 'reducing' } })).toBe(
      'hookline cannot use 2 invalid files.',
    )
    expect(titleOf({ ...wrong, flags: { ...FLAGS, remoteExec: false } })).toBe('Remote runs are off.')
    expect(titleOf({ ...wrong, flags: { ...FLAGS, accountSync: false } })).toBe('Accounts are off.')
    expect(titleOf({ focus: { ...FOCUS, stale: true } })).toBe('Prices are stale.')
    expect(titleOf({ flags: { ...FLAGS, guard: 'reducing' } })).toBe('Reducing.')
  })

  it('says since when it shows what it shows, once the connection is gone', () => {
    const connection: ConnectionState = { name: 'waiting-to-reconnect', retryAt: 1, failures: 1, why: 'lost' }
    const facts = {
      connection,
      access: undefined,
      portfolio: undefined,
      chosen: {},
      flags: FLAGS,
      focus: FOCUS,
      ...NOW,
      lostAt: 5,
    }
    expect(bannerText(facts, (ms) => `at ${ms}`)?.text).toContain('The figures are from at 5.')
  })

  it('names the file that cannot be used, and what is wrong with it', () => {
    const files = [{ file: 'hooks.json', message: 'line 41: not JSON' }]
    const flags = { ...FLAGS, invalidFiles: 1, files }
    const facts = { connection: WELCOMED, access: undefined, portfolio: undefined, chosen: {}, flags, focus: FOCUS }
    expect(bannerText({ ...facts, ...NOW }, String)?.text).toBe('hooks.json: line 41: not JSON')
  })

  it('is of the prices of the account that the tab shows, and since when there are none', () => {
    const market = { account: 'second', symbol: 'BTCUSDT', staleSince: 7 } as never
    expect(titleOf({ chosen: { account: 'second' }, focus: { ...FOCUS, stale: true } })).toBeUndefined()
    expect(titleOf({ chosen: { account: 'second' }, market })).toBe('Prices are stale.')
    const facts = { connection: WELCOMED, access: undefined, portfolio: undefined, flags: FLAGS, focus: FOCUS, ...NOW }
    expect(bannerText({ ...facts, chosen: { account: 'second' }, market }, (ms) => `at ${ms}`)?.text).toContain(
      'The exchange of second has sent no prices since at 7.',
    )
  })

  it('speaks of the account that the tab shows, where that is not the one in focus', () => {
    const accounts = [{ account: 'second', guard: 'halted' }]
    const chosen = { account: 'second' }
    expect(titleOf({ flags: { ...FLAGS, accounts }, chosen })).toBe('Halted.')
    expect(titleOf({ flags: { ...FLAGS, guard: 'halted', accounts: [] }, chosen })).toBeUndefined()
  })

  it('says before all else that a connected hookline says nothing', () => {
    const flags = { ...FLAGS, panic: { by: 'you' } }
    expect(titleOf({ flags, silentSince: 5 })).toBe('hookline does not answer.')
  })

  it('names the part that cannot be read, and what of it is left out', () => {
    const facts = {
      connection: WELCOMED,
      access: undefined,
      portfolio: undefined,
      chosen: {},
      flags: FLAGS,
      focus: FOCUS,
    }
    const textOf = (unread: BannerFacts['unread']) => bannerText({ ...facts, ...NOW, unread }, (ms) => `at ${ms}`)
    const setAside = ['orders: BTCUSDT p1', 'orders: BTCUSDT p2', 'orders: BTCUSDT p3', 'positions: ETHUSDT']
    expect(textOf({ 'state:portfolio': { setAside, isWhole: false, at: 5 } })).toMatchObject({
      title: 'Positions and orders: this page cannot read some rows.',
      text: expect.stringContaining('orders: BTCUSDT p1; orders: BTCUSDT p2; orders: BTCUSDT p3; and 1 more'),
    })
    expect(textOf({ 'state:moon': { setAside: [], isWhole: true, at: 5 } })).toMatchObject({
      title: expect.stringContaining('state:moon'),
      text: expect.stringContaining('older than at 5'),
    })
  })

  it('puts panic before all that hookline does by itself', () => {
    const flags = { ...FLAGS, guard: 'halted', panic: { by: 'you' } }
    expect(titleOf({ flags })).toBe('Panic is on.')
    const facts = { connection: WELCOMED, access: undefined, portfolio: undefined, chosen: {}, focus: FOCUS, ...NOW }
    const { text } = bannerText({ ...facts, flags: { ...FLAGS, panic: { since: 5, by: 'hook dip' } } }, String) ?? {}
    expect(text).toContain('Turned on by hook dip at 5.')
    expect(text).toContain('`close all` and `cancel all` still run, and `resume` ends panic')
  })
})
