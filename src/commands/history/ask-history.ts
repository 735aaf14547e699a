// The history of the account a run trades on.

import { findMarkets } from '../../trading/find-market.ts'
import { type AccountHistory, askAccount } from '../../trading/history/account-history.ts'
import type { CommandContext } from '../kit/command.ts'
import type { HistoryOptions } from './history-options.ts'

/** @throws {TradingError} `unknown-symbol` @throws {ExchangeError} */
export async function askHistory(
  context: CommandContext<'orderHistory'>,
  { symbols: typed, range }: Pick<HistoryOptions, 'symbols' | 'range'>,
  withFunding = false,
): Promise<AccountHistory> {
  const { venue } = await context.account()
  const symbols = await findMarkets(venue, typed)
  const journal = await context.ports.orderHistory(context.accountName)
  return askAccount(venue, journal, { ...range, withFunding, ...(symbols.length === 0 ? {} : { symbols }) })
}
