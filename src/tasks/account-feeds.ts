// One feed for each account that tasks use, as the account is connected now.
import type { Clock } from '../trading/clock.ts'
import type { TradingAccount } from '../trading/order-desk.ts'
import { AccountFeed } from './account-feed.ts'

export class AccountFeeds {
  readonly #connect: (account: string) => Promise<TradingAccount>
  readonly #clock: Clock
  readonly #feeds = new Map<string, AccountFeed>()

  constructor(connect: (account: string) => Promise<TradingAccount>, clock: Clock) {
    this.#connect = connect
    this.#clock = clock
  }

  /** @throws as `connect` */
  async of(name: string): Promise<AccountFeed> {
    const account = await this.#connect(name)
    const known = this.#feeds.get(name)
    if (known?.account === account) return known
    known?.close()
    const feed = new AccountFeed(account, this.#clock)
    this.#feeds.set(name, feed)
    return feed
  }

  close(): void {
    for (const feed of this.#feeds.values()) feed.close()
    this.#feeds.clear()
  }
}
