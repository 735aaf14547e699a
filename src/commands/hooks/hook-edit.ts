// `hook edit`, `hook pause`, `hook resume` (behaviour 47). The safe direction is open to all: a page or a hook may pause, and make limits
// stricter; what lets more through needs the terminal (behaviour 19).

import { isPausedAt, leftOf } from '../../hooks/fire-limits.ts'
import { changeTerms, loosenedTerms, type TermsChange, WHEN } from '../../hooks/hook-terms.ts'
import { checkHookBody } from '../../hooks/registration.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable } from '../../language/printable.ts'
import { parseLongDuration } from '../../language/time.ts'
import type { Hook, HookEdit, HookPause, PausedBy } from '../../stores/hooks.ts'
import { showMoment } from '../../trading/figures.ts'
import { type CommandContext, type CommandForm, type CompletionContext, mayRun } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { insideArgument, missing, readText, refuseMoreThan, requireText, showText } from '../kit/read-arguments.ts'
import type { CommandLookup } from '../kit/resolve.ts'
import { countStopped } from '../session/runs.ts'
import { showWorth, type WorthPort } from './fire-preview.ts'
import { resumeLine } from './hook-fire.ts'
import { GONE_FLAGS, LIMIT_FLAGS, takeLimits } from './hook-limits.ts'
import {
  areHoldingsHidden,
  readWhen,
  requireNoSlots,
  type TriggerPort,
  takeWhen,
  warnIfTrue,
  whenText,
  whyIdle,
} from './hook-trigger.ts'
import { limitTexts } from './limit-lines.ts'

type Context = CommandContext<'hooks' | 'aliases' | 'variables' | 'hookFacts'>

export function editForm(lookup: CommandLookup): CommandForm<'hooks' | TriggerPort | WorthPort> {
  return {
    name: 'edit',
    usage:
      '<name | id | prefix> ["<command>"] [--cooldown 30s] [--rate 5/1m] [--per-day 10] [--max $500] […] [--when "…"] [--no-<limit>]',
    summary: 'change the limits, the condition or the command of a hook; address and token stay',
    where: 'anywhere',
    examples: [
      {
        line: 'hook edit dip --cooldown 30s --per-day 10',
        meaning: '30 s between runs, at most ten a day (UTC)',
      },
      {
        line: 'hook edit dip --window 0930-1600 --days mon-fri --zone America/New_York',
        meaning: 'only in these hours',
      },
      { line: 'hook edit dip --only-if flat --max $500', meaning: 'only without a position, and for $500 at most' },
      { line: 'hook edit dip --no-cooldown', meaning: 'removes a limit; only at the terminal' },
      { line: 'hook edit dip --when "last > 70000"', meaning: 'fires when that becomes true; --no-when ends it' },
      {
        line: 'hook edit dip "buy $100 BTCUSDT"',
        meaning: 'another command, from the next fire on; only at the terminal',
      },
    ],
    complete: (completion) =>
      completion.words.length === 0 ? completeHook(completion) : [...LIMIT_FLAGS, ...GONE_FLAGS],
    async run(context, args) {
      const { rest: withWhen, change, isEmpty } = takeLimits(args, true)
      const { rest, when: typed } = takeWhen(withWhen)
      const prefix = requireText(rest, 0, "the hook's name or id")
      const [, body] = rest
      if (rest.length > 2) refuseMoreThan(2, rest)
      if (body === undefined && isEmpty && typed === undefined) {
        throw missing(rest, 'a limit, a condition, or a command in quotes,')
      }
      if (body !== undefined) checkBody(context, lookup, body)
      const { ports, clock } = context
      const known = ports.hooks.resolve(prefix)
      const command = body === undefined ? known.command : readText(body)
      const read =
        typed && (await readWhen(ports, lookup, typed, { ...known, command }, clock.now(), areHoldingsHidden(context)))
      const all = { ...change, ...(body === undefined ? {} : { command }), ...read?.row }
      if (body !== undefined && typed === undefined && known.when !== undefined && !('when' in change)) {
        requireNoSlots(command)
      }
      const { before, after } = await editHook(context, prefix, all)
      context.out.success(`hook ${nameOf(after)}: ${describeTerms(context, after)}`)
      warnIfTrue(context, read?.holds)
      const idle = typed && whyIdle(ports, after)
      if (idle !== undefined) context.out.warn(`it does not fire by itself: ${idle}`)
      warnIfRun(context, change, after)
      if (body !== undefined) {
        context.out.info(`it runs: ${printable(after.command, 200)}`)
        await showWorth(context, after)
      }
      await context.audit('hook edit', {
        hookId: after.id,
        name: after.name,
        before: termsOf(before),
        after: termsOf(after),
      })
    },
  }
}

/** Fires of before the edit count for `--once`. */
function warnIfRun({ ports, out }: Context, { limits }: TermsChange, hook: Hook): void {
  if (limits?.once !== true || leftOf(hook, ports.hookFacts()(hook)).once !== 0) return
  out.warn(`it has run already: \`hook resume ${nameOf(hook)}\` arms it again`)
}

function checkBody({ ports }: Context, lookup: CommandLookup, body: Parameters<typeof readText>[0]): void {
  try {
    checkHookBody(readText(body), lookup, ports.aliases.read(), ports.variables.read())
  } catch (error) {
    throw error instanceof LanguageError ? insideArgument(error, body) : error
  }
}

async function editHook({ ports, source }: Context, prefix: string, change: TermsChange) {
  let before: Hook | undefined
  const after = await ports.hooks.edit(prefix, (hook) => {
    before = hook
    const isArmed = change.limits?.once === true && hook.paused?.by === 'once'
    const edit = changeTerms(hook, change)
    const isOff = hook.paused !== undefined && hook.paused.until === undefined
    const loosened = [
      ...loosenedTerms(hook, { ...hook, ...edit }).filter((name) => name !== WHEN || !isOff),
      ...(isArmed ? ['--once'] : []),
    ]
    if (loosened.length > 0 && !mayRun('trusted', source)) throw needsTerminal(loosened)
    return isArmed ? { ...edit, ...resumed(hook) } : edit
  })
  return { before: before ?? after, after }
}

function needsTerminal(loosened: readonly string[]): CommandError {
  const what = loosened.join(', ')
  return new CommandError('not-allowed-here', `only the terminal extends what a hook may do: ${what}`, {
    hint: 'type it there; hooks and pages may pause a hook and make its limits stricter',
  })
}

/** What of a hook the audit log has of an edit. */
function termsOf({ command, parallel, maxAgeMs, dry, limits, when }: Hook): Readonly<Record<string, unknown>> {
  const fields = { command, parallel, maxAgeMs, dry, limits, when }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function describeTerms({ ports, clock }: Context, hook: Hook): string {
  const { parallel, maxAgeMs, dry } = hook
  const texts = [
    ...limitTexts(hook, ports.hookFacts()(hook)),
    ...(parallel === undefined ? [] : [`${parallel} at once`]),
    ...(maxAgeMs === undefined ? [] : [`max age ${maxAgeMs / 1000}s`]),
    ...(dry === true ? ['dry'] : []),
    ...(hook.when === undefined ? [] : [`fires by itself: ${whenText(hook.when, clock.now())}`]),
  ]
  return `${printable(hook.command, 80)}; ${texts.length === 0 ? 'no limits' : texts.join(', ')}`
}

export const pause: CommandForm<'hooks' | 'stops'> = {
  name: 'pause',
  usage: '<name | id | prefix> [for <duration>] [reason]',
  summary: 'acknowledge the fires of a hook without running them until `hook resume`',
  where: 'anywhere',
  takesText: true,
  underPanic: true,
  examples: [
    { line: 'hook pause dip', meaning: 'what it runs ends, and its tasks that add are paused' },
    { line: 'hook pause dip for 1h news', meaning: 'for an hour, and why' },
  ],
  complete: (completion) => (completion.words.length === 1 ? ['for'] : completeHook(completion)),
  async run(context, args) {
    const prefix = requireText(args, 0, "the hook's name or id")
    const { forMs, why } = readPause(args.slice(1), (word) => context.ports.hooks.isSecret(word))
    const since = context.clock.now()
    const asked: HookPause = {
      since,
      by: pausedBy(context),
      ...(why === '' ? {} : { why }),
      ...(forMs === undefined ? {} : { until: since + forMs }),
    }
    const hook = await context.ports.hooks.edit(prefix, (now) => ({ paused: pauseOver(now.paused, asked, context) }))
    const stopped = await context.ports.stops.stopScope(`hook:${hook.id}`, context.runId)
    const end = hook.paused?.until
    const until = end === undefined ? `you type \`${resumeLine(hook)}\`` : showMoment(end)
    const ended = stopped.running + stopped.waiting === 0 ? '' : `; stopped ${countStopped(stopped)}`
    context.out.success(`hook ${nameOf(hook)} is paused until ${until}${ended}`)
    await context.audit('hook pause', { hookId: hook.id, name: hook.name, ...asked })
  },
}

/** The reason is shown to pages: a token that was pasted into it is not. */
function readPause(
  args: Parameters<typeof requireText>[0],
  isSecret: (word: string) => boolean,
): { readonly forMs?: number; readonly why: string } {
  const [first, second] = args
  const isFor = first?.kind === 'word' && first.text.toLowerCase() === 'for'
  if (isFor && second === undefined) throw missing(args, 'how long')
  const rest = isFor ? args.slice(2) : args
  const words = rest.map(showText).join(' ').split(' ')
  const why = words
    .map((word) => (isSecret(word.toLowerCase()) ? '<hidden>' : word))
    .join(' ')
    .slice(0, 200)
  return isFor && second !== undefined ? { forMs: parseLongDuration(readText(second), second.column), why } : { why }
}

/** A page or a hook may not cut short a pause that is there. */
function pauseOver(now: HookPause | undefined, asked: HookPause, { source, clock }: CommandContext): HookPause {
  if (now === undefined || mayRun('trusted', source) || !isPausedAt(now, clock.now())) return asked
  return now.until !== undefined && (asked.until === undefined || asked.until > now.until) ? asked : now
}

/** Only a person at a terminal turns on what fires by itself. */
export function pausedByRemote(context: Pick<CommandContext, 'source' | 'clock'>): { readonly paused?: HookPause } {
  if (mayRun('trusted', context.source)) return {}
  const by = pausedBy(context)
  const why = `a ${by} made it, and \`hook resume\` at the terminal turns it on`
  return { paused: { since: context.clock.now(), by, why } }
}

function pausedBy({ source }: Pick<CommandContext, 'source'>): PausedBy {
  return source === 'web' ? 'page' : source === 'hook' ? 'hook' : 'terminal'
}

export const resume: CommandForm<'hooks'> = {
  name: 'resume',
  neverGuessed: true,
  usage: '<name | id | prefix>',
  summary: 'resume a paused hook; its failures and the one run of --once count from zero',
  where: 'trusted',
  examples: [{ line: 'hook resume dip', meaning: 'cooldown, rate and runs of the day keep counting' }],
  complete: completeHook,
  async run(context, args) {
    const prefix = requireText(args, 0, "the hook's name or id")
    refuseMoreThan(1, args)
    const hook = await context.ports.hooks.edit(prefix, resumed)
    const when = hook.when === undefined ? '' : `, and fires by itself: ${whenText(hook.when, context.clock.now())}`
    context.out.success(`hook ${nameOf(hook)} runs again${when}`)
    await context.audit('hook resume', { hookId: hook.id, name: hook.name })
  },
}

function resumed(hook: Hook): HookEdit {
  return { paused: undefined, resumed: (hook.resumed ?? 0) + 1 }
}

function nameOf({ name }: Hook): string {
  return printable(name, MAX_HOOK_NAME)
}

/** In UTF-16 units: the 64 characters of a name, whole. */
export const MAX_HOOK_NAME = 128

/** Names that can be typed as one word, then ids. */
export function completeHook({ words, hooks }: CompletionContext): readonly string[] {
  if (words.length > 0) return []
  const names = hooks.map((hook) => hook.name).filter((name) => /^[\p{L}\p{N}_.-]+$/u.test(name))
  return [...names, ...hooks.map((hook) => hook.id)]
}
