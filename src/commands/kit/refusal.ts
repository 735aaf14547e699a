// The errors that are answers: something was refused, for a reason people can act on. Anything else is a bug.
import { CredentialsError } from '../../credentials/credentials-error.ts'
import { CrossTradeError } from '../../cross-trade/cross-trade-error.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { HookError } from '../../hooks/hook-error.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable } from '../../language/printable.ts'
import { SignInError } from '../../sign-in/sign-in-error.ts'
import { StoreError } from '../../stores/store-error.ts'
import { TaskError } from '../../tasks/task-error.ts'
import { TradingError } from '../../trading/trading-error.ts'
import { CommandError } from './command-error.ts'

export type Refusal =
  | CommandError
  | CredentialsError
  | CrossTradeError
  | ExchangeError
  | HookError
  | LanguageError
  | SignInError
  | StoreError
  | TaskError
  | TradingError

export function isRefusal(error: unknown): error is Refusal {
  return [
    CommandError,
    CredentialsError,
    CrossTradeError,
    ExchangeError,
    HookError,
    LanguageError,
    SignInError,
    StoreError,
    TaskError,
    TradingError,
  ].some((kind) => error instanceof kind)
}

/** Message and hint on one line, safe to print. */
export function describeRefusal(refusal: Refusal): string {
  const hint = refusal.hint === undefined ? '' : ` (${refusal.hint})`
  return printable(`${refusal.message}${hint}`, 300)
}
