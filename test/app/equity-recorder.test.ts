// What the accounts in use are worth, looked at by the process that listens.
import { describe, expect, it } from 'vitest'
import { EquityRecorder, type EquityRecorderOptions } from '../../src/app/equity-recorder.ts'
import type { EquityRecord } from '../../src/stores/equity-log.ts'

interface Venue {
  readonly kind?: 'spot' | 'linear'
  readonly stream?: 'live' | 'stale'
  readonly fails?: true
}

function recorder(venues: Readonly<Record<string, Venue>>, options: Partial<EquityRecorderOptions> = {}) {
  const written: EquityRecord[] = []
  const bugs: unknown[] = []
  let told = 0
  const each = new EquityRecorder({
    log: { append: (record) => void written.push(record), read: async () => [], close: () => {} },
    accounts: () => Object.keys(venues),
    async connect(name) {
      const { kind = 'linear', stream = 'live', fails } = venues[name] ?? {}
      if (fails) throw new Error('down')
      const balance = { currency: 'USDT', wallet: '100', total: '101.5', used: '0', free: '100' }
      return { venue: { kind, stream, fetchBalances: async () => [balance] } }
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
