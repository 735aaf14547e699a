// What the accounts in use are worth, looked at by the process that listens.
import { describe, expect, it } from 'vitest'
import { EquityRecorder, type EquityRecorderOptions } from '../../src/app/desk-sources.ts'
import type { Market } from '../../src/exchange/market.ts'
import type { Balance } from '../../src/exchange/order.ts'
import type { EquityRecord } from '../../src/stores/equity-log.ts'

interface Venue {
  readonly kind?: 'spot' | 'linear'
  readonly stream?: 'live' | 'stale'
  readonly fails?: true
  readonly balances?: readonly Balance[]
}

const HELD: Balance = { currency: 'USDT', wallet: '100', total: '101.5', used: '0', free: '100' }
const MARKETS = ['USDT', 'USDC', 'USDT'].map((settle) => ({ settle, quote: settle })) as unknown as readonly Market[]

function recorder(venues: Readonly<Record<string, Venue>>, options: Partial<EquityRecorderOptions> = {}) {
  const written: EquityRecord[] = []
  const bugs: unknown[] = []
  let told = 0
  const each = new EquityRecorder({
    log: { append: (record) => void written.push(record), read: async () => [], close: () => {} },
    accounts: () => Object.keys(venues),
    async connect(name) {
      const { kind = 'linear', stream = 'live', fails, balances = [HELD] } = venues[name] ?? {}
      if (fails) throw new Error('down')
      return { venue: { kind, stream, fetchBalances: async () => balances, loadMarkets: async () => MARKETS } }
    },
    isOurs: () => true,
    now: () => 7,
    onBug: (error) => void bugs.push(error),
    isRefusal: () => true,
    ...options,
  })
  each.watch(() => {
    told += 1
  })
  return { each, written, bugs, told: () => told }
}

const point = (account: string) => ({ account, at: 7, currency: 'USDT', total: '101.5', wallet: '100' })

describe('the equity recorder', () => {
  it('writes down what each account is worth, and tells it', async () => {
    const { each, written, told } = recorder({ b: {}, a: {} })
    await each.look()
    expect(written).toEqual([point('b'), point('a')])
    expect(each.latest()).toEqual([point('a'), point('b')])
    expect(told()).toBe(1)
  })

  it('counts an account in what its contracts settle in, for all of its life', async () => {
    const coins: Balance[] = []
    const { each, written } = recorder({ a: { balances: coins } })
    const hold = (currency: string, total: string) => coins.push({ ...HELD, currency, wallet: total, total })
    await each.look()
    hold('USDT', '1000')
    await each.look()
    // Coins for fees, and collateral of a unified account, are sorted before it.
    hold('BNB', '3')
    hold('BTC', '0.5')
    coins.sort((a, b) => (a.currency < b.currency ? -1 : 1))
    await each.look()
    hold('USDC', '250')
    await each.look()
    expect(written.map(({ currency, total }) => `${total} ${currency}`)).toEqual([
      '1000 USDT',
      '1000 USDT',
      '1250 USDT',
    ])
  })

  it('leaves out an account that does not answer, is stale or holds many coins; one keeps no other from being told', async () => {
    const { each, written, bugs } = recorder({
      dead: { fails: true },
      old: { stream: 'stale' },
      coins: { kind: 'spot' },
      a: {},
    })
    await each.look()
    expect(written).toEqual([point('a')])
    expect(bugs).toEqual([])
  })

  it('reports what is no refusal, and goes on', async () => {
    const { each, written, bugs } = recorder({ dead: { fails: true }, a: {} }, { isRefusal: () => false })
    await each.look()
    expect(bugs).toHaveLength(1)
    expect(written).toEqual([point('a')])
  })

  it('writes nothing where another process listens', async () => {
    const { each, written, told } = recorder({ a: {} }, { isOurs: () => false })
    await each.look()
    expect([written, told()]).toEqual([[], 0])
  })
})
