// The lines that the buttons and forms of a hook write. Pure.

import { useEffect, useState } from 'react'
import type { AlertSlot } from '../../../language/chain.ts'
import { parseHookChain, type SlotValues, slotsIn } from '../../../language/hook-chain.ts'
import { LanguageError } from '../../../language/language-error.ts'
import { printArgument, typedLine } from '../../../language/print.ts'
import { MAX_LINE_LENGTH } from '../../../language/tokenize.ts'
import type { HookRow } from '../../../protocol/frames.ts'
import { roundedTo, showFigure, showMoney, showTime } from '../../figures.ts'
import type { HookLeft } from './hook-days.ts'

export const LIMIT_FIELDS = [
  ['cooldown', 'Cooldown', '30s'],
  ['rate', 'Rate', '5/1m'],
  ['per-day', 'Runs per day', '10'],
  ['max', 'Dollars per fire', '$500'],
  ['only-if', 'Only if', 'flat'],
  ['parallel', 'Concurrent runs', '20'],
  ['max-age', 'Maximum wait', '30s'],
  ['window', 'Hours', '0930-1600'],
  ['days', 'Days', 'mon-fri'],
  ['zone', 'Zone', 'Europe/Berlin'],
] as const
/** Flags without a value. */
export const SWITCHES = [
  ['once', 'Once', 'only the first fire runs'],
  ['dry', 'Dry', 'orders are calculated, not sent'],
] as const
/** Of a switch that is on. */
export const ON = 'on'
type LimitField = (typeof LIMIT_FIELDS | typeof SWITCHES)[number][0]
export type LimitTexts = Readonly<Partial<Record<LimitField, string>>>

/** How a line names it: by its id where its name has more than letters and digits. */
export function hookWord({ name, id }: Pick<HookRow, 'name' | 'id'>): string {
  return /^[A-Za-z0-9_][A-Za-z0-9_-]*$/.test(name) ? name : id.slice(0, 12)
}

/** As they are typed. */
export function limitTexts({
  limits = {},
  parallel,
  maxAgeMs,
  dry,
}: Pick<HookRow, 'limits' | 'parallel' | 'maxAgeMs' | 'dry'>): LimitTexts {
  const { cooldownMs, rate, perDay, max, onlyIf, window, once } = limits
  const texts = {
    cooldown: cooldownMs === undefined ? undefined : spanText(cooldownMs),
    rate: rate && `${rate.fires}/${spanText(rate.ms)}`,
    'per-day': perDay?.toString(),
    max: max && `$${max}`,
    'only-if': onlyIf,
    parallel: parallel?.toString(),
    'max-age': maxAgeMs === undefined ? undefined : spanText(maxAgeMs),
    window: window && `${window.from}-${window.to}`,
    days: window?.days?.join(','),
    zone: window?.zone,
    once: once === true ? ON : undefined,
    dry: dry === true ? ON : undefined,
  }
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined))
}

/** Only what differs; `--no-cooldown` for what was emptied. Empty where nothing differs. */
export function limitFlags(before: LimitTexts, after: LimitTexts): readonly string[] {
  return [...LIMIT_FIELDS, ...SWITCHES].flatMap(([field]) => {
    const [was = '', now = ''] = [before[field], after[field]?.trim()]
    if (was === now) return []
    if (now === '') return [`--no-${field}`]
    return field === 'once' || field === 'dry' ? [`--${field}`] : [`--${field}`, wordOf(now)]
  })
}

/** As its fields are. */
export interface NewHook {
  readonly name: string
  readonly command: string
  /** Empty: the one in focus when it fires. */
  readonly account: string
  /** A condition or times that fire it; empty: only a POST does. */
  readonly when: string
  readonly limits: LimitTexts
}

/** @param account of the page; one that cannot be chosen is left to the focus */
export function newHook(command: string, account: string | undefined, choices: readonly string[]): NewHook {
  const chosen = choices.find((name) => name === account) ?? ''
  return { name: '', command, account: chosen, when: '', limits: {} }
}

/** As a line can hold them, or not. */
export function textsOf({ name, command, account, when, limits }: NewHook): readonly string[] {
  return [name, command, account, when, ...Object.values(limits)]
}

/** @returns undefined while its name or command is missing, and where it cannot be typed */
export function createLine(hook: NewHook): string | undefined {
  const { account, limits } = hook
  const [named, body, when] = [hook.name.trim(), oneLine(hook.command), oneLine(hook.when)]
  if (named === '' || body === '' || whyNotTypable(textsOf(hook))) return undefined
  const pin = account === '' ? [] : ['--account', wordOf(account)]
  const fires = when === '' ? [] : ['--when', quoted(when)]
  return ['hook', 'create', wordOf(named), quoted(body), ...pin, ...fires, ...limitFlags({}, limits)].join(' ')
}

/** A line has no escape character: of what is between quotes, a text can have one kind only. */
export function whyNotTypable(texts: readonly string[]): string | undefined {
  if (!texts.some((text) => text.includes('"') && text.includes("'"))) return undefined
  return `A field has both " and ', which no line can hold: use one kind of quotes.`
}

/** @returns undefined where it changes nothing, or cannot be typed */
export function editLine(hook: HookRow, command: string, limits: LimitTexts): string | undefined {
  if (whyNotTypable([command, ...Object.values(limits)])) return undefined
  const flags = limitFlags(limitTexts(hook), limits)
  const body = command.trim() === hook.command ? [] : [quoted(oneLine(command))]
  if (flags.length + body.length === 0) return undefined
  return ['hook', 'edit', hookWord(hook), ...body, ...flags].join(' ')
}

/** @param values of its slots, by their names */
export function testLine(hook: Pick<HookRow, 'name' | 'id'>, values: SlotValues): string {
  return ['hook', 'test', hookWord(hook), ...pairsOf(values)].join(' ')
}

/** A real fire, with what its alert would say. */
export function fireLine(hook: Pick<HookRow, 'name' | 'id'>, values: SlotValues): string {
  return ['hook', 'fire', hookWord(hook), ...pairsOf(values)].join(' ')
}

function pairsOf(values: SlotValues): readonly string[] {
  return Object.entries(values).map(([name, text]) =>
    printArgument({ kind: 'word', text: `${name}=${text.trim()}`, column: 1 }),
  )
}

/** Of an alert: what fires send. */
export function bodyOf(values: SlotValues): string {
  return JSON.stringify(Object.fromEntries(Object.entries(values).map(([name, text]) => [name, text.trim()])))
}

/** What is to be known next of a hook that was made: its token, which no page has. */
export function createdNews(name: string): string {
  const line = typedLine`hook show ${name}`
  return line === undefined
    ? `Created ${name}.`
    : `Created ${name}. \`${line}\` in the hookline terminal shows its token.`
}

/** Only the hookline terminal takes it. */
export function resumeLine(hook: Pick<HookRow, 'name' | 'id'>): string {
  return `hook resume ${hookWord(hook)}`
}

export function slotsOf(command: string): readonly AlertSlot[] {
  try {
    return slotsIn(parseHookChain(command))
  } catch (error) {
    if (error instanceof LanguageError) return []
    throw error
  }
}

/** The values that the slot takes, in words. */
export function takes(slot: AlertSlot): string {
  if ('choices' in slot) return slot.choices.join(', ')
  const [least, most] = [slot.min && `at least ${slot.min}`, slot.max && `at most ${slot.max}`]
  return [slot.type === 'usd' ? 'dollars' : 'a number', least, most].filter(Boolean).join(', ')
}

function quoted(text: string): string {
  return printArgument({ kind: 'string', text, column: 1 })
}

/** Text that looks like a flag or a slot is quoted. */
function wordOf(text: string): string {
  return /^[-{]/.test(text) ? quoted(text) : printArgument({ kind: 'word', text, column: 1 })
}

/** A line of the terminal ends where a field's lines go on. */
function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ')
}

function spanText(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000}h`
  return ms % 60_000 === 0 ? `${ms / 60_000}m` : `${ms / 1_000}s`
}

// The limits of a hook and the rest of each, as rows to read. Pure.

export interface TermRow {
  readonly title: string
  readonly value: string
  /** The rest of the limit, or a note that the value is the default. */
  readonly aside?: string
}

/** As behaviour 30 has them where a hook says nothing else. */
const DEFAULTS = { parallel: 20, maxAgeMs: 30_000 }
const AS_EVERY = 'by default'

/** Empty where it has none of its own. @param at when `left` arrived, ms since the epoch */
export function termRows(hook: HookRow, left: HookLeft | undefined, at: number): readonly TermRow[] {
  const { limits = {}, dry } = hook
  const { once, cooldownMs, rate, perDay, max, window, onlyIf } = limits
  const rows: (TermRow | false | undefined)[] = [
    dry === true && { title: 'Orders', value: 'calculated, not sent' },
    once === true && { title: 'Runs', value: 'once', aside: left?.once === 0 ? 'it has' : 'still to come' },
    max !== undefined && {
      title: 'Entries of a fire',
      value: `at most $${showMoney(max)}`,
      aside: 'reductions are not limited',
    },
    onlyIf !== undefined && { title: 'Position', value: `only if ${onlyIf}` },
    cooldownMs !== undefined && { title: 'Cooldown', value: span(cooldownMs), ...nextRun(left, at) },
    rate && { title: 'Rate', value: `${rate.fires} in ${span(rate.ms)}`, ...remaining(left?.rate, 'left now') },
    perDay !== undefined && { title: 'A day', value: runs(perDay), ...remaining(left?.perDay, 'left until 00:00 UTC') },
    window && { title: 'Hours', value: hours(window) },
  ]
  return rows.filter((row) => typeof row === 'object')
}

/** The terms of every fire, whatever its limits. */
export function careRows({ parallel, maxAgeMs }: HookRow): readonly TermRow[] {
  return [
    { title: 'Concurrent runs', value: runs(parallel ?? DEFAULTS.parallel), ...asEvery(parallel) },
    { title: 'Maximum wait', value: span(maxAgeMs ?? DEFAULTS.maxAgeMs), ...asEvery(maxAgeMs) },
    { title: 'Pauses after', value: '5 failures in a row' },
  ]
}

// What fires a hook besides a POST: its values now, how far each comparison is from its other side, and its times. Pure.

export function triggerRows(
  { values = {}, comparisons = [], holds, judgedAt, next, firedAt, trouble }: Partial<NonNullable<HookRow['when']>>,
  now: number,
): readonly TermRow[] {
  const compared = comparisons.map(({ text, left, right }) => ({
    title: text,
    value: `${valueText(left)} against ${valueText(right)}`,
    aside: `${valueText(Math.abs(left - right))} apart`,
  }))
  const time = (title: string, at: number | undefined) =>
    at === undefined ? [] : [{ title, value: showTime(at, now) }]
  return [
    ...(trouble === undefined ? [] : [{ title: 'Not judged', value: trouble }]),
    ...(holds === undefined || trouble !== undefined
      ? []
      : [{ title: 'Condition', value: holds ? 'true now' : 'not true now' }]),
    ...compared,
    ...Object.entries(values)
      .filter(([name]) => !comparisons.some(({ text }) => text.includes(name)))
      .map(([title, value]) => ({ title, value: value === null ? 'not known' : valueText(value) })),
    ...time('Last bar judged', judgedAt),
    ...time('Next time', next),
    ...time('Last fired', firedAt),
  ]
}

/** A value of an indicator, for display. */
function valueText(value: number): string {
  return showFigure(roundedTo(value.toFixed(8), Math.abs(value) >= 1 ? 2 : 6))
}

function asEvery(own: number | undefined): Pick<TermRow, 'aside'> {
  return own === undefined ? { aside: AS_EVERY } : {}
}

function nextRun(left: HookLeft | undefined, at: number): Pick<TermRow, 'aside'> {
  const { cooldownMs = 0 } = left ?? {}
  return cooldownMs === 0 ? {} : { aside: `next run from ${showTime(at + cooldownMs, at)} on` }
}

function remaining(count: number | undefined, words: string): Pick<TermRow, 'aside'> {
  return count === undefined ? {} : { aside: `${count === 0 ? 'none' : count} ${words}` }
}

function hours({ from, to, days, zone = 'UTC' }: NonNullable<NonNullable<HookRow['limits']>['window']>): string {
  return [`${clock(from)}–${clock(to)}`, ...(days ? [days.join(', ')] : []), zone].join(' ')
}

/** `0930` */
function clock(text: string): string {
  return `${text.slice(0, 2)}:${text.slice(2)}`
}

function runs(count: number): string {
  return count === 1 ? '1 run' : `${count} runs`
}

/** Why, and until when. */
export function pauseText({ why, by, until }: NonNullable<HookRow['paused']>): string {
  const end = until === undefined ? '' : ` until ${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return `${why ?? `by the ${by}`}${end}`
}

function span(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000} h`
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1_000} s`
}

// The command that an address brings along: `/hooks/new?command=buy%20$250%20BTCUSDT` opens the form with it. The address
// makes no hook: a person reads the command and presses the button. Pure.

/** Where the form that makes a hook is. */
export const NEW_HOOK = '/hooks/new'

export type WantedCommand = { readonly command: string } | { readonly why: string }

/** As other pages link to it. */
export function newHookAddress(command: string): string {
  return `${NEW_HOOK}?${new URLSearchParams({ command })}`
}

/** @param search the address behind `?`; undefined: it names none */
export function wantedCommand(search: string): WantedCommand | undefined {
  const command = new URLSearchParams(search).get('command')?.trim()
  if (command === undefined || command === '') return undefined
  if (command.length > MAX_LINE_LENGTH)
    return { why: `The address holds a command of ${command.length} characters; at most ${MAX_LINE_LENGTH} are read.` }
  if (hasUnseen(command))
    return { why: 'The address holds a command with characters that cannot be seen: it was left out.' }
  return { command }
}

/** Controls, and marks that turn the order of letters around: what is read would not be what runs. */
function hasUnseen(text: string): boolean {
  return /[^\P{C}\n\t]/u.test(text)
}

// The command that another page asks a new hook to begin with. It comes with the history entry: the console's own pages alone can write that.
// Taken once: back and forth do not open the form again.

/** The command, and what changes or forgets it. */
export function useWishedCommand(): readonly [string | undefined, (command: string | undefined) => void] {
  const [command, wish] = useState(read)
  // Once it is on the page: what is drawn and thrown away takes nothing.
  useEffect(() => {
    if (command === undefined || read() === undefined) return
    const { command: _, ...rest } = history.state
    history.replaceState(rest, '')
  }, [command])
  return [command, wish]
}

function read(): string | undefined {
  const state: unknown = history.state
  if (typeof state !== 'object' || state === null || !('command' in state)) return undefined
  const { command } = state
  return typeof command === 'string' && command !== '' ? command : undefined
}
