// `--when` of `hook create` and `hook edit`: a condition or a schedule that fires the hook (behaviour 52). Checked when it is typed: what fires at
// night is a bad time to learn of a slip.
import { defined } from '../../base/defined.ts'
import { alertTermsOf } from '../../hooks/alert.ts'
import type { Argument } from '../../language/chain.ts'
import { symbolsNamedIn, takesFocus } from '../../language/focus-taken.ts'
import { parseHookChain } from '../../language/hook-chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printArgument } from '../../language/print.ts'
import { printable } from '../../language/printable.ts'
import { type Hook, type HookTrigger, MAX_TRIGGER_TEXT, type NewHook } from '../../stores/hooks.ts'
import type { TriggerSight } from '../../tasks/hook-triggers.ts'
import { figure } from '../../tasks/judging.ts'
import { showMoment } from '../../trading/figures.ts'
import { findMarket } from '../../trading/market-view.ts'
import { type Condition, showCondition, type TickValue } from '../../triggers/condition.ts'
import { describeSchedule, nextTime, nextTimeOf } from '../../triggers/schedule.ts'
import { parseTrigger, type Trigger } from '../../triggers/trigger.ts'
import { type CommandContext, mayShowSecrets } from '../kit/command.ts'
import type { HookData } from '../kit/data.ts'
import { CommandError, isRefusal } from '../kit/errors.ts'
import type { CommandPorts } from '../kit/ports.ts'
import { readText } from '../kit/read-arguments.ts'
import type { CommandLookup } from '../kit/resolve.ts'
import { lookOnce, requireJudgeable } from '../tasks/when.ts'

const MAX_TRIGGERS = 200
const LOOK_WITHIN_MS = 3_000

type TriggerPorts = Pick<CommandPorts, 'connect' | 'focus' | 'hooks' | 'aliases' | 'variables' | 'tasks'>
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
    throw new LanguageError('missing-argument', 'the condition or the schedule is missing', column, hint)
  }
  return { rest: args.toSpliced(at, isGlued ? 1 : 2), when }
}

/**
 * Reads what was typed, and asks the account whether it can be judged there.
 * @param hook what it is of, as it will be; the account in focus where it names none
 * @returns for the row: a hook that fires by itself keeps to one account; `holds`: the condition is true already
 * @throws {LanguageError} its column counts within the line @throws {CommandError} @throws {ExchangeError}
 */
export async function readWhen(
  ports: TriggerPorts,
  lookup: CommandLookup,
  typed: Argument,
  { id, command, account: pinned }: Pick<Hook, 'command' | 'account'> & { readonly id?: string },
  now: number,
  areHoldingsHidden = false,
): Promise<{ readonly row: Pick<NewHook, 'when' | 'account'>; readonly holds?: boolean }> {
  const text = readText(typed)
  const column = typed.kind === 'string' ? typed.column + 1 : typed.column
  if (text.length > MAX_TRIGGER_TEXT) {
    throw new LanguageError('bad-condition', `a condition has at most ${MAX_TRIGGER_TEXT} characters`, column)
  }
  const trigger = parseTrigger(text, column)
  requireNoSlots(command)
  const others = ports.hooks.list().filter((each) => each.when !== undefined && each.id !== id)
  if (others.length >= MAX_TRIGGERS) {
    throw new CommandError('too-many', `at most ${MAX_TRIGGERS} hooks have --when`, {
      hint: 'revoke one, or end it by --no-when',
    })
  }
  const account = pinned ?? ports.focus.account()
  if (trigger.kind === 'schedule') {
    if (nextTime(trigger.schedule, now) !== undefined) return { row: { when: { text, since: now }, account } }
    throw new CommandError('bad-argument', `${describeSchedule(trigger.schedule)} has passed`, {
      hint: 'type a later time',
    })
  }
  if (areHoldingsHidden && judgesHoldings(trigger)) throw new CommandError('disabled', 'accountSync disabled')
  const connected = await ports.connect(account)
  const { symbol } = await findMarket(connected.venue, trigger.symbol ?? symbolOf(ports, lookup, command))
  const { text: condition, condition: checked } = trigger
  const bars = await requireJudgeable(connected.venue, symbol, checked, now)
  const { holds } = await lookOnce(connected, { symbol, condition, checked, bars }, now)
  const row = { when: { text: condition, symbol, since: now }, account }
  return { row, ...(holds === true ? { holds } : {}) }
}

/** Whether pages and hooks learn nothing of what accounts hold (behaviour 136). */
export function areHoldingsHidden({ source, ports }: Pick<CommandContext<'config'>, 'source' | 'ports'>): boolean {
  return !mayShowSecrets(source) && !ports.config.read().listener.accountSync
}

function judgesHoldings(trigger: Trigger | undefined): boolean {
  return trigger?.kind === 'condition' && trigger.condition.ticks.some((name) => HOLDINGS.has(name))
}

const HOLDINGS: ReadonlySet<TickValue> = new Set<TickValue>(['pnl', 'position', 'equity'])

/** Without the values of a condition that judges what an account holds. */
export function withoutHoldings(when: HookTrigger, known: KnownOfTrigger): KnownOfTrigger {
  if (!judgesHoldings(triggerOf(when))) return known
  const { values: _values, comparisons: _comparisons, holds: _holds, ...rest } = known
  return rest
}

/** An operator may expect that it fires now. */
export function warnIfTrue({ out }: Pick<CommandContext, 'out'>, holds: boolean | undefined): void {
  if (holds === true) out.warn('the condition is already true: the hook fires the next time it becomes true')
}

/**
 * A sender hears that its POST was not answered; of a condition that no process judges no one would.
 * @returns undefined: it is judged, or has none
 */
export function whyIdle({ tasks }: Pick<CommandPorts, 'tasks'>, { when }: Hook): string | undefined {
  if (when === undefined || tasks.driver() !== undefined) return undefined
  return 'no hookline is running: start `hookline` or `hookline listen`, and leave it running'
}

/** @throws {CommandError} */
export function requireNoSlots(command: string): void {
  if (alertTermsOf(command).slots.length === 0) return
  throw new CommandError('bad-argument', 'the command takes values from an alert, and --when provides none', {
    hint: 'type the values in the command, or make two hooks',
  })
}

/** The symbol in focus, where a command of the hook takes it. */
export function focusTakenBy(
  { aliases, variables, focus }: Pick<TriggerPorts, 'aliases' | 'variables' | 'focus'>,
  lookup: CommandLookup,
  command: string,
): string | undefined {
  const question = { table: lookup, aliases: aliases.read(), variables: variables.read() }
  return takesFocus(parseHookChain(command), question) ? focus.symbol() : undefined
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
function triggerOf({ text }: Pick<HookTrigger, 'text'>): Trigger | undefined {
  try {
    return parseTrigger(text)
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    return undefined
  }
}

export type KnownOfTrigger = Omit<TriggerSight, 'hookId'>

/** @param known where this process judges it, or has looked */
export function whenData(
  { text, symbol, since }: HookTrigger,
  now: number,
  known: KnownOfTrigger = {},
): NonNullable<HookData['when']> {
  const trigger = triggerOf({ text })
  const next = trigger?.kind === 'schedule' ? nextTimeOf(trigger.schedule, since, now) : undefined
  const { judgedAt, firedAt, fires, values, comparisons, holds, trouble } = known
  const indicators = trigger?.kind === 'condition' ? indicatorsOf(trigger.condition) : []
  return {
    text,
    since,
    ...defined({
      symbol,
      next,
      indicators: indicators.length > 0 ? indicators : undefined,
      judgedAt,
      firedAt,
      fires: fires?.slice(),
      values,
      comparisons,
      holds,
      trouble,
    }),
  }
}

type IndicatorData = NonNullable<NonNullable<HookData['when']>['indicators']>[number]

/** For those who draw them. */
function indicatorsOf({ series }: Condition): IndicatorData[] {
  return series.flatMap(({ frame, field, indicator }) =>
    indicator === undefined ? [] : [{ name: indicator.name, params: [...indicator.params], source: field, frame }],
  )
}

/** What is known of it now: by this process where it judges, else by one look at the venue; nothing where that does not answer. */
export async function knownOf(
  { connect, tasks }: Pick<CommandPorts, 'connect' | 'tasks'>,
  hook: Hook,
  now: number,
): Promise<KnownOfTrigger> {
  const { when, account } = hook
  const sight = tasks.triggers().find(({ hookId }) => hookId === hook.id)
  if (sight !== undefined || when?.symbol === undefined || account === undefined) return sight ?? {}
  const { symbol } = when
  const trigger = triggerOf(when)
  if (trigger?.kind !== 'condition') return {}
  const look = async (): Promise<KnownOfTrigger> => {
    const { condition } = trigger
    const connected = await connect(account)
    const bars = await requireJudgeable(connected.venue, symbol, condition, now)
    return lookOnce(connected, { symbol, condition: when.text, checked: condition, bars }, now)
  }
  const asked = look().catch((error: unknown) => {
    if (!isRefusal(error)) throw error
    return { trouble: error.message }
  })
  // What is shown besides does not depend on the venue.
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<KnownOfTrigger>((resolve) => {
    timer = setTimeout(() => resolve({ trouble: 'the exchange has not answered in time' }), LOOK_WITHIN_MS)
  })
  return Promise.race([asked, late]).finally(() => clearTimeout(timer))
}

/** Rows of `hook show`. */
export function knownRows({ values = {}, comparisons = [], judgedAt, firedAt, trouble }: KnownOfTrigger): string[][] {
  const named = Object.entries(values).map(([name, value]) => `${name} ${value === null ? 'unknown' : figure(value)}`)
  const away = comparisons.map(({ text, left, right }) => `${showCondition(text)}: ${distance(left, right)}`)
  return [
    ...(named.length === 0 ? [] : [['values', named.join(', ')]]),
    ...(away.length === 0 ? [] : [['distance', away.join(', ')]]),
    ...(judgedAt === undefined ? [] : [['judged', `the bar that closed at ${showMoment(judgedAt)}`]]),
    ...(firedAt === undefined ? [] : [['fired', showMoment(firedAt)]]),
    ...(trouble === undefined ? [] : [['not judged', printable(trouble, 200)]]),
  ]
}

/** From the left side to the right one. */
function distance(left: number, right: number): string {
  const difference = right - left
  const sign = difference < 0 ? '-' : '+'
  const share = left === 0 ? '' : ` (${sign}${Math.abs((difference / left) * 100).toFixed(2)}%)`
  return `${sign}${figure(Math.abs(difference))}${share}`
}

/** `BTCUSDT close(1h) > ema(50)`, `every mon 09:00, next at 2026-11-30 09:00:00`. */
export function whenText(when: HookTrigger, now: number): string {
  const { text, symbol, next } = whenData(when, now)
  const shown = /^(?:every|at)\b/i.test(text) ? text : showCondition(text)
  const words = printable(symbol === undefined ? shown : `${symbol} ${shown}`, 300)
  return next === undefined ? words : `${words}, next at ${showMoment(next)}`
}
