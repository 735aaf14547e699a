// The history of the account a run trades on, as it is or as it was before its last reset.

import { printable } from '../../language/printable.ts'
import { showTime } from '../../trading/figures.ts'
import { type AccountHistory, askAccount } from '../../trading/history/account-history.ts'
import { type JournalHistory, NO_HISTORY } from '../../trading/history/journal-history.ts'
import { findMarkets } from '../../trading/market-view.ts'
import type { CommandContext } from '../kit/command.ts'
import type { HistoryOptions } from './history-options.ts'

/** @throws {TradingError} `unknown-symbol` @throws {ExchangeError} */
export async function askHistory(
  context: CommandContext<'orderHistory'>,
  options: HistoryOptions,
  withFunding = false,
): Promise<AccountHistory> {
  const { symbols: typed, range } = options
  const { venue } = await context.account()
  const symbols = await findMarkets(venue, typed)
  const journal = await journalOf(context, context.accountName, options)
  return askAccount(venue, journal, { ...range, withFunding, ...(symbols.length === 0 ? {} : { symbols }) })
}

/** Says which of the two is shown, where there are two. */
export async function journalOf(
  { ports, out }: CommandContext<'orderHistory'>,
  account: string,
  { isBeforeReset, form }: Pick<HistoryOptions, 'isBeforeReset' | 'form'>,
): Promise<JournalHistory> {
  const journal = await ports.orderHistory(account)
  const { resetAt, before = NO_HISTORY } = journal
  if (form === 'table' && resetAt !== undefined && before.orders.length > 0) {
    const when = `the reset of account ${printable(account, 40)} at ${showTime(resetAt)} UTC`
    out.info(isBeforeReset ? `before ${when}` : `since ${when}; \`--before-reset\` shows what was before it`)
  }
  return isBeforeReset ? before : journal
}
