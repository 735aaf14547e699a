// What a contract account is worth: `total` = wallet + unrealized profit, as each venue's document tells the parts.
import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import type { MarketKind } from '../../../src/exchange/market.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import { createCaseWire } from './case-wire.ts'
import { KEYS } from './scripted-venue.ts'
import { readVenueCases } from './venue-cases.ts'

const CASES = readVenueCases()

/** Private keys are in no file. */
function madeHere(keys: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => !value.startsWith('<')))
}

/** @param answers by words of the request that each is for */
async function open(venue: string, kind: MarketKind, answers: Readonly<Record<string, unknown>>): Promise<Exchange> {
  const cases = CASES.find((each) => each.venue === venue)
  if (cases === undefined) throw new Error(`there are no cases of ${venue}`)
  const wire = createCaseWire(cases, [])
  return openCcxtExchange({
    venue,
    kind,
    environment: 'live',
    keys: { ...KEYS, ...madeHere(cases.keys) },
    now: () => 1_700_000_000_000,
    onProblem: () => {},
    delay: async () => {},
    async transport(request) {
      const found = Object.entries(answers).find(([words]) => `${request.url} ${request.body ?? ''}`.includes(words))
      if (found === undefined) return wire.transport(request)
      return { status: 200, headers: {}, text: JSON.stringify(found[1]) }
    },
  })
}

const position = (unrealizedPnl: string) => ({ type: 'oneWay', position: { coin: 'BTC', szi: '1', unrealizedPnl } })
const marginSummary = { accountValue: '10040.0', totalMarginUsed: '1475.0', totalNtlPos: '1', totalRawUsd: '1' }

describe('a contract account', () => {
  it.each([
    // FuturesAccount: `total` "does not include upl of positions".
    [
      ...(['gate', 'linear', '/futures/usdt/accounts', 'USDT'] as const),
      { currency: 'USDT', total: '10000', unrealised_pnl: '40', available: '8000', in_dual_mode: false },
    ],
    // Get Account List: `accountEquity` includes `unrealizedPL`.
    [
      ...(['bitget', 'linear', '/mix/account/accounts', 'USDT'] as const),
      {
        code: '00000',
        data: [{ marginCoin: 'USDT', accountEquity: '10040', unrealizedPL: '40', maxTransferOut: '8000' }],
      },
    ],
    // Get Account - Futures: `accountEquity` = `marginBalance` + `unrealisedPNL`.
    [
      ...(['kucoin', 'linear', 'account-overview', 'USDT'] as const),
      {
        code: '200000',
        data: {
          currency: 'USDT',
          accountEquity: 10040,
          unrealisedPNL: 40,
          marginBalance: 10000,
          availableBalance: 8000,
        },
      },
    ],
    // get_account_summary: `balance` and `equity`.
    [
      ...(['deribit', 'linear', 'get_account_summary', 'USDC'] as const),
      {
        jsonrpc: '2.0',
        result: { currency: 'USDC', balance: 10000, equity: 10040, available_funds: 8000, initial_margin: 2040 },
      },
    ],
    // Get wallets: of the account of many currencies `totalUnrealized` is in dollars.
    [
      ...(['krakenfutures', 'linear', '/accounts', 'USD'] as const),
      {
        result: 'success',
        accounts: {
          flex: {
            type: 'multiCollateralMarginAccount',
            totalUnrealized: 40,
            currencies: { USD: { quantity: 10000, available: 8000 } },
          },
        },
      },
    ],
    // And each inverse contract has an account in its coin.
    [
      ...(['krakenfutures', 'inverse', '/accounts', 'BTC'] as const),
      {
        result: 'success',
        accounts: {
          flex: { type: 'multiCollateralMarginAccount', currencies: {} },
          fi_xbtusd: {
            type: 'marginAccount',
            currency: 'xbt',
            balances: { xbt: 10000, FI_XBTUSD_171215: 50000 },
            auxiliary: { pv: 10040, pnl: 40, af: 8000 },
          },
        },
      },
    ],
    // clearinghouseState: `accountValue` has the positions' `unrealizedPnl` in it.
    [
      ...(['hyperliquid', 'linear', 'clearinghouseState', 'USDC'] as const),
      { marginSummary, assetPositions: [position('50.0'), position('-10.0')], withdrawable: '8565.0', time: 1 },
    ],
  ] as const)(
    'of %s %s is worth its wallet and what is not realized yet',
    async (venue, kind, words, currency, answer) => {
      const exchange = await open(venue, kind, { [words]: answer })
      const balances = await exchange.fetchBalances()
      expect(balances.find((each) => each.currency === currency)).toMatchObject({ wallet: '10000', total: '10040' })
    },
  )

  it('of a unified Gate account is worth its equity', async () => {
    const account = { balances: { USDT: { available: '8000', freeze: '0', equity: '10040' } } }
    const answers = { '/account/detail': { key: { mode: 2 } }, '/unified/accounts': account }
    const exchange = await open('gate', 'linear', answers)
    expect(await exchange.fetchBalances()).toMatchObject([{ currency: 'USDT', total: '10040', free: '8000' }])
  })

  it('of Hyperliquid whose answer is cut is no account without money', async () => {
    for (const answer of [{}, { assetPositions: [] }, { marginSummary: {}, assetPositions: [] }]) {
      const exchange = await open('hyperliquid', 'linear', { clearinghouseState: answer })
      await expect(exchange.fetchBalances()).rejects.toMatchObject({ code: 'network' })
    }
  })
})
