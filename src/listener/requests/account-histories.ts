// What happened on accounts, asked of journal and venue together: kept for a few seconds, so that the pages of one question are of one moment,
// and no page makes a venue answer more often than that.
import type { CommandPorts } from '../../commands/kit/ports.ts'
import { type AccountHistory, type AccountQuestion, askAccount } from '../../trading/history/account-history.ts'

const KEPT_MS = 5_000
const MAX_KEPT = 8

export interface HistoryPorts {
  readonly connect: CommandPorts['connect']
  readonly orderHistory: CommandPorts['orderHistory']
  /** ms; only differences count. */
  readonly now: () => number
}

interface Kept {
  readonly of: string
  readonly history: Promise<AccountHistory>
  readonly until: number
}

export class AccountHistories {
  readonly #ports: HistoryPorts
  readonly #kept = new Map<string, Kept>()

  constructor(ports: HistoryPorts) {
    this.#ports = ports
  }

  /** @throws {TradingError} {ExchangeError} {CommandError} */
  of(account: string, question: AccountQuestion): Promise<AccountHistory> {
    const { symbols = [], ...rest } = question
    const key = JSON.stringify([account, symbols, rest.since, rest.until, rest.withFunding])
    const now = this.#ports.now()
    const known = this.#kept.get(key)
    if (known !== undefined && known.until > now) return known.history
    const history = this.#ask(account, { ...rest, ...(symbols.length === 0 ? {} : { symbols }) })
    this.#kept.delete(key)
    this.#kept.set(key, { of: account, history, until: now + KEPT_MS })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest)
    // What has failed is asked again.
    history.catch(() => this.#kept.delete(key))
    return history
  }

  /** Something has filled on it. */
  forget(account: string): void {
    for (const [key, { of }] of this.#kept) if (of === account) this.#kept.delete(key)
  }

  async #ask(account: string, question: AccountQuestion): Promise<AccountHistory> {
    const { venue } = await this.#ports.connect(account)
    return askAccount(venue, await this.#ports.orderHistory(account), question)
  }
}
