// Funding as the venues themselves list it: page after page, in windows where a venue answers for so many days at a time. A list that is too
// long to be read is an error, never a shorter list.
import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { FundingPayment, TradeQuery } from '../../exchange/order.ts'
import { requireMarket, type VenueAccount } from './order-lookup.ts'
import type { FundingPage, FundingQuery, VenueProfile } from './profile.ts'

const DAY_MS = 86_400_000
/** Where nobody says since when: as long as all of them keep it. */
const DEFAULT_MS = 90 * DAY_MS
const DEFAULT_LIMIT = 50
const MAX_PAGES = 20

/** @throws {ExchangeError} `bad-symbol` */
export async function fetchFundingPayments(
  account: VenueAccount,
  funding: NonNullable<VenueProfile['funding']>,
  { symbol, since, limit = DEFAULT_LIMIT }: TradeQuery,
): Promise<readonly FundingPayment[]> {
  const { client, connection, kind, now } = account
  return connection.ask(async (markets) => {
    const market = requireMarket(markets, symbol)
    const end = now()
    const start = since ?? end - DEFAULT_MS
    const paid: FundingPayment[] = []
    for (let from = start; from < end; ) {
      const until = Math.min(end, from + (funding.windowMs ?? Number.POSITIVE_INFINITY))
      const window = { from, until }
      const rows = await allPages((cursor) =>
        connection.nested(() => funding.page(client, market, kind, { ...window, ...cursor })),
      )
      paid.push(...rows.map((row) => ({ ...row, symbol })))
      from = until
    }
    const once = [...new Map(paid.map((payment) => [payment.id, payment])).values()]
    const wanted = once.filter(({ timestamp }) => timestamp >= start)
    return wanted.sort((left, right) => left.timestamp - right.timestamp).slice(-limit)
  })
}

async function allPages(
  ask: (cursor: Pick<FundingQuery, 'cursor'>) => Promise<FundingPage>,
): Promise<FundingPage['payments']> {
  const all: FundingPage['payments'][number][] = []
  let next: string | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { payments, cursor } = await ask(defined({ cursor: next }))
    all.push(...payments)
    if (cursor === undefined) return all
    next = cursor
  }
  throw new ExchangeError('network', 'the venue lists more funding than can be read', { hint: 'ask for fewer days' })
}
