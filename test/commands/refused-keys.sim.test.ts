// Keys that a venue does not want, or that are good for too much: named as such, and nothing is kept of them.
import { describe, expect, it } from 'vitest'
import type { AccessReport } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import { countedLimits, GOOD, holders, KEY, PASSPHRASE, SECRET, staged } from './adding-accounts.ts'

describe('keys that are refused', () => {
  const no =
    (code: ConstructorParameters<typeof ExchangeError>[0], text: string) => async (): Promise<AccessReport> => {
      throw new ExchangeError(code, text, { hint: 'check the key: `account check`' })
    }
  it.each<[string, () => Promise<AccessReport>, RegExp]>([
    [
      'wrong',
      no('authentication', 'Binance: Invalid API-key'),
      /^error authentication: nothing was stored: Binance: Invalid API-key \| copy key and secret again; /,
    ],
    [
      'expired',
      no('authentication', 'Bybit: your api key has expired'),
      /^error authentication: nothing was stored: .*expired \| .*expired keys/,
    ],
    [
      'from another address',
      no('permission', 'OKX: IP not in whitelist'),
      /^error permission: nothing was stored: OKX: IP not in whitelist \| .* from this machine's address$/,
    ],
    [
      'too early or late',
      no('clock', 'Binance: Timestamp is ahead'),
      /^error clock: nothing was stored: .* \| set the clock of this machine$/,
    ],
    [
      'without an answer',
      no('network', 'Binance gave no answer'),
      /^error network: nothing was stored: .* \| check the network, then try again$/,
    ],
    [
      'of an account in hedge mode',
      async () => ({ ...GOOD, positionMode: 'hedge' }),
      /^error wrong-account-mode: the account at binance is in hedge mode \| set it to one-way mode there/,
    ],
    [
      'that may withdraw',
      async () => ({ ...GOOD, mayWithdraw: true }),
      /^error may-withdraw: these keys may withdraw money from binance \| make keys that may only read and trade, and delete these$/,
    ],
    [
      'that may only read',
      async () => ({ ...GOOD, mayTrade: false }),
      /^error may-not-trade: these keys may not trade on binance \| /,
    ],
  ])('%s are named as such, before anything is stored', async (_what, report, says) => {
    const { counts, askLimits } = countedLimits()
    const { session, tried } = await staged([PASSPHRASE, PASSPHRASE, KEY, SECRET], { report, askLimits })
    expect((await session.run('account add main binance')).at(-1)).toMatch(says)
    expect(session.ports.accounts.find('main')).toBeUndefined()
    expect(session.ports.credentials.vault.state()).toBe('absent')
    expect(counts).toEqual({ asked: 0, kept: 0 })
    expect(holders(session)).toEqual([])
    await session.settle()
    expect(tried.map(({ closed }) => closed)).toEqual([true])
  })

  it('that no venue answers for are given up after 30 seconds', async () => {
    const { session } = await staged([PASSPHRASE, PASSPHRASE, KEY, SECRET], { report: () => new Promise(() => {}) })
    const run = session.start('account add main binance')
    await session.settle()
    await session.advance(31_000)
    await run.done
    expect(run.lines.at(-1)).toBe(
      'error network: nothing was stored: binance did not answer in 30 s | check the network, then try again',
    )
    expect(session.ports.accounts.find('main')).toBeUndefined()
  })
})
