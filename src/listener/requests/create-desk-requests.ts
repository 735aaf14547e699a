// Every question with who answers it.
import type { SessionsOptions } from '../sessions/sessions-options.ts'
import { AccountHistories } from './account-histories.ts'
import { accountQuestions } from './account-questions.ts'
import { copyQuestions } from './copy-questions.ts'
import { DeskRequests } from './desk-requests.ts'
import { MarketWatches } from './market-watches.ts'
import { PortfolioWatches } from './portfolio-watches.ts'
import { runQuestions } from './run-questions.ts'

export function createDeskRequests({ desk, stores, focus, connect, events }: SessionsOptions): DeskRequests {
  const { config, accounts, crossTrade } = stores
  const { runPages, runArchive, orderHistory, equity, copies } = desk
  const histories = new AccountHistories({ connect, orderHistory, now: () => performance.now() })
  // As long as the process: nobody asks any more once it stops.
  desk.fills.watch(({ account }) => histories.forget(account))
  const showsAccounts = () => config.read().listener.accountSync
  return new DeskRequests({
    config,
    focus,
    onBug: events.bug,
    markets: new MarketWatches({ connect, now: Date.now, onBug: events.bug }),
    portfolios: new PortfolioWatches({ config, connect, onBug: events.bug }),
    completion: { aliases: stores.aliases, focus, names: desk.names, showsAccounts },
    answerers: {
      ...runQuestions({ runPages, runArchive, showsAccounts }),
      ...accountQuestions({ accounts, focus, connect, histories, equity }),
      ...copyQuestions({ accounts, crossTrade, copies }),
    },
  })
}
