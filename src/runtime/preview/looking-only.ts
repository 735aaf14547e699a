// Accounts on which everything is looked at and nothing is sent.
import { defined } from '../../base/defined.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { type Looked, PreviewDesk } from '../../trading/preview/preview-desk.ts'
import { createTrialAccount } from '../../trading/preview/trial-account.ts'
import type { Connect } from '../run-context.ts'

/** @param looked is told what would be sent */
export function lookingOnly(connect: Connect, looked: Looked): Connect {
  const accounts = new Map<string, Promise<TradingAccount>>()
  return (name) => {
    const known = accounts.get(name) ?? connect(name).then((account) => looking(account, looked))
    accounts.set(name, known)
    return known
  }
}

async function looking(account: TradingAccount, looked: Looked): Promise<TradingAccount> {
  const { name, priceBand } = account
  const trial = await createTrialAccount(account.venue)
  return { name, venue: trial.venue, orders: new PreviewDesk(account, trial, looked), ...defined({ priceBand }) }
}
