// What runs did, which the paper account counts: each command of a web page trades an amount of its own, each fire of a marking hook
// trades the same one.
import type { PaperState } from '../../../src/exchanges/paper/state.ts'
import type { BrokenPromises } from './broken-promises.ts'
import type { JournalledRound } from './journal-ledger.ts'

export const MARK_SYMBOL = 'DOGEUSDT'
/** Above the smallest order, and below every amount of a command. */
export const FIRED_AMOUNT = 60
const FIRST_AMOUNT = 100
/** The account's file keeps so many trades. */
const TRADES_KEPT = 200

export class OrderLedger {
  readonly #broken: BrokenPromises
  /** Amounts of this round's commands, and how each ended: undefined, not heard. */
  readonly #commands = new Map<string, boolean | undefined>()
  #tradesSeen = 0
  #told = 0

  constructor(broken: BrokenPromises) {
    this.#broken = broken
  }

  /** Commands that said they succeeded, in all. */
  get told(): number {
    return this.#told
  }

  /** @returns an amount that no other command of this round has, as it is stored */
  begin(): string {
    const amount = String(FIRST_AMOUNT + this.#commands.size)
    this.#commands.set(amount, undefined)
    return amount
  }

  ended(amount: string, success: boolean): void {
    this.#commands.set(amount, success)
    if (success) this.#told++
  }

  /** After the kill. @param isMarking whether the hook of this id trades */
  settle(state: PaperState, round: JournalledRound, isMarking: (hookId: string) => boolean): void {
    const fresh = state.nextTradeId - 1 - this.#tradesSeen
    if (fresh > TRADES_KEPT) throw new Error(`${fresh} trades in one round, of which the file keeps ${TRADES_KEPT}`)
    this.#broken.expect(fresh >= 0, 'lost', `the account has ${-fresh} trades fewer than before`)
    const amounts = fresh > 0 ? state.trades.slice(-fresh).map(({ amount }) => amount) : []
    this.#settleCommands(amounts)
    this.#settleFires(amounts.filter((amount) => amount === String(FIRED_AMOUNT)).length, round, isMarking)
    this.#tradesSeen = state.nextTradeId - 1
    this.#commands.clear()
  }

  #settleCommands(amounts: readonly string[]): void {
    for (const [amount, success] of this.#commands) {
      const count = amounts.filter((traded) => traded === amount).length
      this.#broken.expect(count <= 1, 'twice', `the command that trades ${amount} traded ${count} times`)
      if (success === true) this.#broken.expect(count === 1, 'lost', `a command's order of ${amount} is gone`)
      if (success === false) this.#broken.expect(count === 0, 'wrong', `a command failed, and traded ${amount}`)
    }
    for (const amount of amounts) {
      const isKnown = this.#commands.has(amount) || amount === String(FIRED_AMOUNT)
      this.#broken.expect(isKnown, 'wrong', `nobody asked in this round for a trade of ${amount}`)
    }
  }

  #settleFires(traded: number, { started, succeeded }: JournalledRound, isMarking: (hookId: string) => boolean): void {
    const runs = [...started.values()].filter(({ hook }) => hook !== undefined && isMarking(hook))
    const ended = runs.filter(({ runId }) => succeeded.has(runId)).length
    this.#broken.expect(traded <= runs.length, 'twice', `${runs.length} runs of marking hooks traded ${traded} times`)
    this.#broken.expect(traded >= ended, 'lost', `${ended} runs of marking hooks ended well, ${traded} traded`)
  }
}
