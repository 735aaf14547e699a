// `--when` of `hook create` and `hook edit`: a condition or a schedule that fires the hook (behaviour 52). Checked when it is typed: what fires at
// night is a bad time to learn of a slip.
import { defined } from '../../base/defined.ts'
import { alertTermsOf } from '../../hooks/alert.ts'
import type { Argument } from '../../language/chain.ts'
import { symbolsNamedIn } from '../../language/focus-taken.ts'
import { parseHookChain } from '../../language/hook-chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printArgument } from '../../language/print.ts'
import { printable } from '../../language/printable.ts'
import { type Hook, type HookTrigger, MAX_TRIGGER_TEXT } from '../../stores/hooks.ts'
import { showMoment } from '../../trading/figures.ts'
import { findMarket } from '../../trading/market-view.ts'
import { describeSchedule, nextTime } from '../../triggers/schedule.ts'
import { parseTrigger, type Trigger } from '../../triggers/trigger.ts'
import type { HookData } from '../kit/data.ts'
import { CommandError } from '../kit/errors.ts'
import type { CommandPorts } from '../kit/ports.ts'
import { readText } from '../kit/read-arguments.ts'
import type { CommandLookup } from '../kit/resolve.ts'
import { requireJudgeable } from '../tasks/when.ts'

type TriggerPorts = Pick<CommandPorts, 'connect' | 'focus' | 'aliases' | 'variables'>
export type TriggerPort = keyof TriggerPorts

/** Takes `--when "…"` out of the arguments. @throws {LanguageError} */
export function takeWhen(args: readonly Argument[]): {
  readonly rest: readonly Argument[]
  readonly when: Argument | undefined
} {
  const at = args.findIndex((each) => each.kind === 'word' && /^--when(?:=|$)/.test(each.text))
  const flag = args[at]
  if (flag === undefined || flag.kind !== 'word') return { rest: args, when: undefined }
  const isGlued = flag.text !== '--when'
  const glued: Argument = { kind: 'string', text: flag.text.slice(7), column: flag.column + 7 }
  const when = isGlued ? glued : args[at + 1]
  if (when === undefined || readText(when).trim() === '') {
    const column = flag.column + printArgument(flag).length
    const hint = 'type one in quotes, such as --when "close(1h) > ema(50)" or --when "every mon 09:00"'
    throw new LanguageError('missing-argument', 'the condition or the times are missing', column, hint)
  }
  return { rest: args.toSpliced(at, isGlued ? 1 : 2), when }
}

/**
 * Reads what was typed, and asks the account whether it can be judged there.
 * @param hook what it is of, as it will be; the account in focus where it names none
 * @returns for the row: a hook that judges a symbol keeps to one account
 * @throws {LanguageError} its column counts within the line @throws {CommandError} @throws {ExchangeError}
 */
export async function readWhen(
  ports: TriggerPorts,
  lookup: CommandLookup,
  typed: Argument,
  { command, account: pinned }: Pick<Hook, 'command' | 'account'>,
  now: number,
): Promise<{ readonly when: HookTrigger; readonly account?: string }> {
  const text = readText(typed)
  const column = typed.kind === 'string' ? typed.column + 1 : typed.column
  if (text.length > MAX_TRIGGER_TEXT) {
    throw new LanguageError('bad-condition', `a condition has at most ${MAX_TRIGGER_TEXT} characters`, column)
  }
  const trigger = parseTrigger(text, column)
  requireNoSlots(command)
  if (trigger.kind === 'schedule') {
    if (nextTime(trigger.schedule, now) !== undefined) return { when: { text, since: now } }
    throw new CommandError('bad-argument', `${describeSchedule(trigger.schedule)} is over`, {
      hint: 'type a later time',
    })
  }
  const account = pinned ?? ports.focus.account()
  const { venue } = await ports.connect(account)
  const { symbol } = await findMarket(venue, trigger.symbol ?? symbolOf(ports, lookup, command))
  await requireJudgeable(venue, symbol, trigger.condition)
  return { when: { text: trigger.text, symbol, since: now }, account }
}

/** @throws {CommandError} */
export function requireNoSlots(command: string): void {
  if (alertTermsOf(command).slots.length === 0) return
  throw new CommandError('bad-argument', 'the command takes values from an alert, and --when brings none', {
    hint: 'type the values in the command, or make two hooks',
  })
}

/** The one that the command names; where it names none, that in focus. */
export function symbolOf(
  { aliases, variables, focus }: Pick<TriggerPorts, 'aliases' | 'variables' | 'focus'>,
  lookup: CommandLookup,
  command: string,
): string {
  const question = { table: lookup, aliases: aliases.read(), variables: variables.read() }
  const [symbol, ...more] = symbolsNamedIn(parseHookChain(command), question)
  if (more.length === 0) return symbol ?? focus.symbol()
  throw new CommandError('bad-argument', 'the command names several symbols, and the condition none', {
    hint: `type one before the condition, as in --when "${symbol} last > 70000"`,
  })
}

/** As it was checked when it was set; undefined: a newer hookline, or a hand, has written it. */
function triggerOf({ text }: HookTrigger): Trigger | undefined {
  try {
    return parseTrigger(text)
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    return undefined
  }
}

export function whenData(when: HookTrigger, now: number): NonNullable<HookData['when']> {
  const trigger = triggerOf(when)
  const next = trigger?.kind === 'schedule' ? nextTime(trigger.schedule, now) : undefined
  return { ...when, ...defined({ next }) }
}

/** `BTCUSDT close(1h) > ema(50)`, `every mon 09:00, next at 2026-11-30 09:00:00`. */
export function whenText(when: HookTrigger, now: number): string {
  const { text, symbol, next } = whenData(when, now)
  const words = printable(symbol === undefined ? text : `${symbol} ${text}`, 300)
  return next === undefined ? words : `${words}, next at ${showMoment(next)}`
}
