// What the guard says when it lets nothing through, for people.
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Guarding } from '../stores/guards.ts'
import { StoreError } from '../stores/store-error.ts'
import { showTime } from '../trading/figures.ts'
import { type Breach, GuardedError } from './guarded-error.ts'

function refusalOf(account: string, message: string, { hint }: { readonly hint: string }): GuardedError {
  return new GuardedError(account, message, hint)
}

/** @param why as the authority says it: `stopped: panic` */
export function endedRefusal(account: string, why: string): GuardedError {
  return refusalOf(account, `the order was not sent: ${why}`, { hint: '`status` says what is off' })
}

/** @param isLost the loss limit is still reached: what only resumes is stopped again */
export function stateRefusal(
  account: string,
  { state, since, by, doubt, panic }: Guarding,
  isLost = false,
): GuardedError {
  if (panic === true) {
    const when = `${since === undefined ? '' : ` since ${showTime(since)}`}${by === undefined ? '' : `, by ${by}`}`
    return refusalOf(account, `panic is on${when}, and only what reduces a position is sent`, {
      hint: 'type `resume` in the terminal to end it; `cancel` and `close` work',
    })
  }
  const what = state === 'halted' ? 'is halted' : 'takes only orders that reduce a position'
  const said = `${since === undefined ? '' : ` since ${showTime(since)}`}${by === undefined ? '' : `, by ${by}`}`
  const why = doubt === undefined ? said : `, because ${doubt}`
  const open = state === 'halted' ? '`cancel` and `close` work; ' : ''
  const raise = `wait for 00:00 UTC or raise it with \`guards set ${account} loss <dollars>\`, then type \`resume\` in the terminal`
  const resume = isLost ? raise : 'type `resume` in the terminal to end it'
  const end = doubt === undefined ? resume : '`status` names what to fix'
  return refusalOf(account, `account ${account} ${what}${why}`, { hint: `${open}${end}` })
}

/** What the operator is told when an account stops adding to positions by itself. */
export function tripped(account: string, lost: string): string {
  return `account ${account} has lost ${lost} today (UTC), and takes only orders that reduce from now on`
}

/** @param what cannot be told in dollars @param limit that it is needed for */
export function noPrice(account: string, what: string, currency: string, limit: string): GuardedError {
  return refusalOf(account, `${what} is not known in dollars: the venue has no price of ${currency}`, {
    hint: `\`guards set ${account} ${limit} off\` in the terminal lets orders pass`,
  })
}

/** What cannot be checked is not sent. @returns an error of another class as it is */
export function uncheckable(account: string, error: unknown): unknown {
  if (error instanceof GuardedError || !(error instanceof ExchangeError || error instanceof StoreError)) return error
  return refusalOf(account, `the limits of account ${account} could not be checked: ${error.message}`, {
    hint: 'try again; `close` and `cancel` work meanwhile',
  })
}

export function breachRefusal(account: string, breaches: readonly Breach[]): GuardedError {
  const hint = `\`guards\` shows the limits of ${account}; \`guards set\` changes them in the terminal`
  return new GuardedError(account, breaches.map(({ text }) => text).join('; '), hint, breaches)
}
