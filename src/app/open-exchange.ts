// Which exchange serves an account row. Loaded at the first command that trades or asks for a price.
import { CommandError } from '../commands/kit/command-error.ts'
import type { Keys } from '../credentials/keys.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { openCcxtExchange } from '../exchanges/ccxt/open-ccxt.ts'
import { START_PRICES } from '../exchanges/paper/markets.ts'
import { START_BALANCE } from '../exchanges/paper/paper-controls.ts'
import { createPaperExchange } from '../exchanges/paper/paper-exchange.ts'
import { createRandomWalk } from '../exchanges/paper/random-walk.ts'
import { initialState } from '../exchanges/paper/state.ts'
import { PAPER_FORMAT } from '../exchanges/paper/state-file.ts'
import { findVenue } from '../exchanges/venues.ts'
import type { AccountRow } from '../stores/accounts.ts'
import { openPaperHistory, openPaperState } from '../stores/paper-state.ts'

/** One market for all paper accounts, processes and restarts: prices are a function of this and the time. */
const MARKET_SEED = 'hookline'

/** @throws {CommandError} `not-supported` for an exchange this version does not speak */
export async function openExchange(
  row: AccountRow,
  keys: Keys,
  directory: string,
  onProblem: (problem: unknown) => void,
): Promise<Exchange> {
  if (row.exchange === 'paper') return openPaper(row.name, directory, onProblem)
  const venue = findVenue(row.exchange)
  if (venue?.canTrade === true) {
    const { demo } = row as { readonly demo?: unknown }
    return openCcxtExchange({
      ...{ venue: venue.id, kind: row.kind ?? venue.kinds[0] ?? 'spot', keys },
      environment: demo === true ? 'demo' : 'live',
      now: Date.now,
      onProblem,
    })
  }
  throw new CommandError(
    'not-supported',
    `account ${row.name} is on ${row.exchange}, which this version cannot trade on`,
    { hint: 'use a paper account: `account add <name> paper`' },
  )
}

function openPaper(name: string, directory: string, onProblem: (problem: unknown) => void): Exchange {
  const fresh = initialState({ seed: MARKET_SEED, balance: START_BALANCE })
  const store = openPaperState(directory, name, { ...PAPER_FORMAT, defaults: fresh })
  return createPaperExchange({
    prices: createRandomWalk({ seed: store.read().seed, startPrices: START_PRICES }),
    store,
    history: openPaperHistory(directory, name),
    now: Date.now,
    every(ms, tick) {
      const timer = setInterval(tick, ms)
      timer.unref()
      return () => clearInterval(timer)
    },
    delay: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    onProblem,
  })
}
