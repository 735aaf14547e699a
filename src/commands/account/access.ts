// What keys are good for: asked of the venue itself, by a call that needs them, before anything is stored and whenever `account check` is typed.
// Keys that may withdraw are refused (behaviour 43), and so is hedge mode (behaviour 39).
import { defined } from '../../base/defined.ts'
import type { AccessReport, VenueView } from '../../exchange/exchange.ts'
import { ExchangeError, type ExchangeErrorCode } from '../../exchange/exchange-error.ts'
import type { Balance } from '../../exchange/order.ts'
import type { CommandContext } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { interrupted } from '../kit/running.ts'

export interface Access {
  readonly report: AccessReport
  readonly balances: readonly Balance[]
  /** How long the venue took to answer one question. */
  readonly tookMs: number
}

const PATIENCE_MS = 30_000

/** @throws {ExchangeError} */
export async function askAccess(context: Pick<CommandContext, 'clock'>, venue: VenueView): Promise<Access> {
  const report = (await venue.checkAccess?.()) ?? { remarks: [] }
  const before = context.clock.now()
  const balances = await venue.fetchBalances()
  return { report, balances, tookMs: context.clock.now() - before }
}

/**
 * Waits for a venue, but not for ever and not once the run is cut short.
 * @throws {ExchangeError} `network` @throws {CommandError} `interrupted`
 */
export async function withinPatience<R>(context: CommandContext, venue: string, work: Promise<R>): Promise<R> {
  const settled = new AbortController()
  const giveUp = context.clock.delay(PATIENCE_MS, AbortSignal.any([context.signal, settled.signal])).then(() => {
    if (context.signal.aborted) throw interrupted()
    throw new ExchangeError('network', `${venue} did not answer in ${PATIENCE_MS / 1_000} s`, {
      hint: 'check the network, then try again',
    })
  })
  // Of the two only one is waited for.
  giveUp.catch(() => {})
  work.catch(() => {})
  try {
    return await Promise.race([work, giveUp])
  } finally {
    settled.abort()
  }
}

/** @throws {CommandError} `may-withdraw`, `may-not-trade`, `wrong-account-mode` */
export function requireUsable({ report }: Pick<Access, 'report'>, venue: string): void {
  if (report.mayWithdraw === true) {
    throw new CommandError('may-withdraw', `these keys may withdraw money from ${venue}`, {
      hint: 'make keys that may only read and trade, and delete these',
    })
  }
  if (report.mayTrade === false) {
    throw new CommandError('may-not-trade', `these keys may not trade on ${venue}`, {
      hint: `allow trading for them at ${venue}, or make others`,
    })
  }
  if (report.positionMode === 'hedge') {
    throw new CommandError('wrong-account-mode', `the account at ${venue} is in hedge mode`, {
      hint: 'set it to one-way mode there: hookline holds one position for each symbol',
    })
  }
}

const NOT_ADDED_HINTS: Readonly<Partial<Record<ExchangeErrorCode, (venue: string) => string>>> = {
  authentication: (venue) => `copy key and secret again; ${venue} also refuses expired keys and unlisted addresses`,
  permission: (venue) => `check the key; let it read and trade at ${venue}, and from this machine's address`,
  'wrong-account-mode': (venue) => `set the account to one-way mode at ${venue}`,
  clock: () => 'set the clock of this machine',
  network: () => 'check the network, then try again',
  unavailable: () => 'try again later',
  'rate-limited': () => 'try again in a minute',
}

/** What a venue says no to while an account is being added: there is no account to look at yet. */
export function notAdded(error: unknown, venue: string): unknown {
  if (!(error instanceof ExchangeError)) return error
  const hint = NOT_ADDED_HINTS[error.code]?.(venue) ?? error.hint
  return new ExchangeError(error.code, `nothing was stored: ${error.message}`, { ...defined({ hint }), cause: error })
}

/** `may trade; may not withdraw; one-way mode`. What the venue does not say is left out. */
export function describeAccess({ mayTrade, mayWithdraw, positionMode }: AccessReport): string {
  const parts = [
    ...(mayTrade === undefined ? [] : [mayTrade ? 'may trade' : 'may not trade']),
    ...(mayWithdraw === undefined ? [] : [mayWithdraw ? 'may withdraw' : 'may not withdraw']),
    ...(positionMode === undefined ? [] : [`${positionMode} mode`]),
  ]
  return parts.length === 0 ? 'the venue does not report the permissions of these keys' : parts.join('; ')
}
