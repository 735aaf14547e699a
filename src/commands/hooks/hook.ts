// `hook`: command bodies that a POST fires (behaviour 126). The secret is printed only in a
// terminal's own run (behaviour 18).
import { defined } from '../../base/defined.ts'
import { alertTermsOf } from '../../hooks/alert.ts'
import type { FireFacts } from '../../hooks/fire-limits.ts'
import { newTerms } from '../../hooks/hook-terms.ts'
import { fireInstructions, registerHook, requireRegistrable } from '../../hooks/registration.ts'
import { alertMessage } from '../../language/alert.ts'
import type { Argument } from '../../language/chain.ts'
import { refuseTypographic } from '../../language/foreign-syntax-hints.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printArgument } from '../../language/print.ts'
import { printable } from '../../language/printable.ts'
import type { HookCounts } from '../../runs/run.ts'
import type { Hook, NewHook } from '../../stores/hooks.ts'
import { showDuration, showMoment, showZonedTime } from '../../trading/figures.ts'
import { takeYes } from '../account/confirmation.ts'
import { type CommandContext, type CommandFamily, type CommandForm, maxRowsOf, mayShowSecrets } from '../kit/command.ts'
import type { HookData } from '../kit/data.ts'
import { CommandError } from '../kit/errors.ts'
import { type Column, renderTable } from '../kit/lines.ts'
import { insideArgument, missing, readText, refuseMoreThan, requireText, takeOption } from '../kit/read-arguments.ts'
import type { CommandLookup } from '../kit/resolve.ts'
import { showWorth, type WorthPort } from './fire-preview.ts'
import { completeHook, editForm, MAX_HOOK_NAME, pause, pausedByRemote, resume } from './hook-edit.ts'
import { fireForm } from './hook-fire.ts'
import { LIMIT_FLAGS, takeLimits } from './hook-limits.ts'
import { logsForm } from './hook-logs.ts'
import { replayForm } from './hook-replay.ts'
import { testForm } from './hook-test.ts'
import {
  areHoldingsHidden,
  focusTakenBy,
  type KnownOfTrigger,
  knownOf,
  knownRows,
  readWhen,
  type TriggerPort,
  takeWhen,
  warnIfTrue,
  whenText,
  whyIdle,
  withoutHoldings,
} from './hook-trigger.ts'
import { careData, limitTexts, stateText } from './limit-lines.ts'

const HIDDEN = '<hidden>'

const list: CommandForm<'hooks' | 'hookFacts' | 'tasks' | 'config'> = {
  name: 'list',
  usage: '',
  summary: 'hooks with their commands and limits',
  where: 'anywhere',
  rows: true,
  takesWide: true,
  underPanic: true,
  examples: [{ line: 'hooks', meaning: 'lists them; secrets stay hidden' }],
  run(context, args) {
    refuseMoreThan(0, args)
    const hooks = context.ports.hooks.list()
    for (const { line, message } of context.ports.hooks.problems()) {
      context.out.warn(`hooks.json${line === undefined ? '' : `, line ${line}`}: ${printable(message, 200)}`)
    }
    const facts = context.ports.hookFacts()
    const known = new Map(context.ports.tasks.triggers().map((sight) => [sight.hookId, sight]))
    const isHidden = areHoldingsHidden(context)
    const rows = hooks.map((hook) => {
      const sight = known.get(hook.id)
      const shown = isHidden && sight && hook.when ? withoutHoldings(hook.when, sight) : sight
      return hookData(hook, facts(hook), shown)
    })
    const data = { type: 'hooks', hooks: rows } as const
    if (hooks.length === 0) return context.out.info('no hooks; `hook create <name> "<command>"` makes one', data)
    const hasCare = hooks.some(({ limits, paused }) => limits !== undefined || paused !== undefined)
    const hasWhen = hooks.some(({ when }) => when !== undefined)
    const columns: readonly Column[] = [
      { title: 'id', rank: 7 },
      { title: 'name', least: 12 },
      { title: 'secret', rank: 9 },
      { title: 'account', rank: 6 },
      { title: 'command', least: 32 },
      ...(hasWhen ? [{ title: 'when', rank: 4, least: 24 }] : []),
      ...(hasCare
        ? [
            { title: 'state', least: 12 },
            { title: 'limits', rank: 5, least: 16 },
          ]
        : []),
      { title: 'created', isTime: true, rank: 8 },
    ]
    const cells = hooks.map((hook) => [
      hook.id,
      printable(hook.name, MAX_HOOK_NAME),
      HIDDEN,
      printable(hook.account ?? '', 40),
      printable(hook.command, 80),
      ...(hasWhen ? [hook.when === undefined ? '' : whenText(hook.when, context.clock.now())] : []),
      ...(hasCare ? [stateText(hook, context.clock.now()), limitTexts(hook, facts(hook)).join(', ')] : []),
      showZonedTime(hook.createdAt),
    ])
    context.out.print(renderTable(columns, cells, context.tableWidth), data)
  },
}

function createForm(lookup: CommandLookup): CommandForm<'hooks' | 'accounts' | TriggerPort | WorthPort> {
  return {
    name: 'create',
    usage: `<name> "<command>" [--account <name>] [--parallel <runs>] [--max-age <duration>] [--dry]
  [--cooldown 30s] [--rate 5/1m] [--per-day 10] [--once] [--max $500] [--only-if flat | long | short]
  [--window 0930-1600 [--days mon-fri] [--zone Europe/Berlin]] [--when "<condition> | every … | at …"]`,
    summary: 'create a hook: a POST to its address runs the command, and with --when hookline itself does',
    where: 'anywhere',
    examples: [
      { line: 'hook create dip "buy $250 BTCUSDT stop -2%"', meaning: 'each fire buys and protects' },
      {
        line: "hook create flat 'cancel all; close all' --account paper",
        meaning: 'always on paper, whatever is in focus',
      },
      {
        line: 'hook create test "buy $100 BTCUSDT" --dry',
        meaning: 'its fires show what they would order, and order nothing',
      },
      {
        line: 'hook create tv "buy {size:usd<=500} BTCUSDT stop -2% -- {id:key} {at:time<=30s}"',
        meaning: 'the alert fills in the size; a repeat, or one older than 30 s, buys nothing',
      },
      {
        line: 'hook create scalp "buy $100 BTCUSDT" --parallel 1 --max-age 5s',
        meaning: 'one run after another; a fire that has waited 5 s does not run',
      },
      {
        line: 'hook create tv "buy $200 BTCUSDT" --cooldown 5m --per-day 10 --max $250 --only-if flat',
        meaning: 'a fire that a limit stops is answered, and skipped',
      },
      {
        line: 'hook create dip "buy $100 BTCUSDT stop -2%" --when "close(1h) crosses above ema(50) and rsi(14) < 60"',
        meaning: 'at the close of each bar on which it becomes true; `help when` lists the values',
      },
      {
        line: 'hook create payday "buy $100 BTCUSDT" --when "every mon 09:00 Europe/Berlin --late 5m"',
        meaning: 'each Monday; up to five minutes late, where hookline was not running',
      },
    ],
    complete: ({ words, accounts }) =>
      words.at(-1) === '--account' ? accounts : words.length >= 2 ? ['--account', ...LIMIT_FLAGS] : [],
    async run(context, args) {
      const { rest: withLimits, value: account } = takeOption(args, '--account', "the account's name")
      const { rest: withWhen, change } = takeLimits(withLimits)
      const { rest, when: typed } = takeWhen(withWhen)
      const name = requireText(rest, 0, "the hook's name")
      const [first, body] = rest
      if (body === undefined) {
        throw missing(rest, first?.kind === 'string' ? 'the name, before the command,' : 'the command, in quotes,')
      }
      refuseUnquoted(rest, typed)
      const inBody = (error: unknown) => {
        throw error instanceof LanguageError ? insideArgument(error, body) : error
      }
      const plain = { name, command: readText(body), ...defined({ account }), ...newTerms(change) }
      const { ports, source, clock } = context
      let input: NewHook = plain
      let holds: boolean | undefined
      if (typed !== undefined) {
        await requireRegistrable(ports, lookup, plain).catch(inBody)
        const read = await readWhen(ports, lookup, typed, plain, clock.now(), areHoldingsHidden(context))
        input = { ...plain, ...read.row, ...pausedByRemote(context) }
        holds = read.holds
      }
      const hook = await registerHook(ports, lookup, input, maxRowsOf('hooks', source)).catch(inBody)
      context.out.success(`created hook ${printable(hook.name, MAX_HOOK_NAME)}`)
      warnIfTrue(context, holds)
      if (hook.paused !== undefined) context.out.warn(`it is paused: ${hook.paused.why}`)
      await context.audit('hook create', auditedHook(hook))
      await showWorth(context, hook)
      const focus = focusTakenBy(ports, lookup, hook.command)
      await showFireInstructions(context, hook, defined({ focus }))
    },
  }
}

type ShowPort = 'hooks' | 'hookFacts' | 'hookCounts' | 'tasks' | 'config' | TriggerPort

const showForm = (lookup: CommandLookup): CommandForm<ShowPort> => ({
  name: 'show',
  usage: '<name | id | prefix>',
  summary: 'show the token, how to fire the hook, and its fires of the last 24 h',
  where: 'anywhere',
  rows: true,
  underPanic: true,
  examples: [
    { line: 'hook show dip', meaning: 'by its name' },
    { line: 'hook show 3f9c2a71', meaning: 'at least 8 characters of its id' },
  ],
  complete: completeHook,
  async run(context, args) {
    const prefix = requireText(args, 0, "the hook's name or id")
    refuseMoreThan(1, args)
    const hook = context.ports.hooks.resolve(prefix)
    context.out.print(`hook ${printable(hook.name, MAX_HOOK_NAME)} runs: ${printable(hook.command, 500)}`)
    const counts = (await context.ports.hookCounts()).get(hook.id) ?? NO_FIRES
    const known = await knownOf(context.ports, hook, context.clock.now())
    const isHidden = hook.when !== undefined && areHoldingsHidden(context)
    const shown = isHidden && hook.when ? withoutHoldings(hook.when, known) : known
    const focus = focusTakenBy(context.ports, lookup, hook.command)
    await showFireInstructions(context, hook, { counts, known: shown, ...defined({ focus }) })
  },
})

const rotate: CommandForm<'hooks' | 'hookFacts' | 'tasks'> = {
  name: 'rotate',
  usage: '<name | id | prefix>',
  summary: 'a new token; the old one stops working at once',
  where: 'anywhere',
  underPanic: true,
  examples: [{ line: 'hook rotate dip', meaning: 'the address stays' }],
  complete: completeHook,
  async run(context, args) {
    const prefix = requireText(args, 0, "the hook's name or id")
    refuseMoreThan(1, args)
    const hook = await context.ports.hooks.rotate(prefix)
    context.out.success(`hook ${printable(hook.name, MAX_HOOK_NAME)} has a new token; the old one no longer works`)
    await context.audit('hook rotate', auditedHook(hook))
    await showFireInstructions(context, hook)
  },
}

const revoke: CommandForm<'hooks'> = {
  name: 'revoke',
  usage: '<name | id | prefix | --all> [--yes]',
  summary: 'delete one hook or all of them',
  where: 'anywhere',
  underPanic: true,
  examples: [
    { line: 'hook revoke dip', meaning: 'its address answers 404 from now on' },
    { line: 'hook revoke --all', meaning: 'deletes every hook' },
  ],
  complete: (completion) => (completion.words.length === 0 ? ['--all', ...completeHook(completion)] : []),
  async run(context, typed) {
    const { rest: args, isSure } = takeYes(typed)
    const prefix = requireText(args, 0, "the hook's name, id or --all")
    refuseMoreThan(1, args)
    if (!isSure) await requireYes(context, prefix)
    if (prefix === '--all') {
      const count = await context.ports.hooks.revokeAll()
      context.out.success(`revoked ${count === 1 ? '1 hook' : `${count} hooks`}`)
      return context.audit('hook revoke', { all: true, count })
    }
    const hook = await context.ports.hooks.revoke(prefix)
    context.out.success(`revoked hook ${printable(hook.name, MAX_HOOK_NAME)} (${hook.id})`)
    await context.audit('hook revoke', auditedHook(hook))
  },
}

/** An address and a token that are deleted do not come back. Elsewhere than at a terminal nothing asks. @throws {CommandError} `cancelled` */
async function requireYes({ confirm, ports }: CommandContext<'hooks'>, prefix: string): Promise<void> {
  if (confirm === undefined) return
  const hooks = prefix === '--all' ? ports.hooks.list() : [ports.hooks.resolve(prefix)]
  const [first, ...others] = hooks
  if (first === undefined) return
  const name = printable(first.name, MAX_HOOK_NAME)
  const which = others.length === 0 ? `hook ${name} and its address` : `${hooks.length} hooks and their addresses`
  if (await confirm(`delete ${which}? y or n >`)) return
  throw new CommandError('cancelled', `canceled: ${others.length === 0 ? `hook ${name} stays` : 'the hooks stay'}`)
}

export function hookFamily(lookup: CommandLookup): CommandFamily {
  return {
    name: 'hook',
    aliases: ['hooks'],
    group: 'hooks',
    summary: 'hooks: list, create, show, test, replay, fire, logs, edit, pause, resume, rotate, revoke',
    bare: 'list',
    forms: [
      list,
      createForm(lookup),
      showForm(lookup),
      testForm(completeHook),
      replayForm(lookup, completeHook),
      fireForm(completeHook),
      logsForm(completeHook),
      editForm(lookup),
      pause,
      resume,
      rotate,
      revoke,
    ],
  }
}

/** A hook as the audit log has it: without its token. */
function auditedHook({ id, name, command, account, when }: Hook): Readonly<Record<string, unknown>> {
  return { hookId: id, name, command, ...defined({ account, when }) }
}

/** A token that is shown is in the audit log first. */
async function showFireInstructions(
  context: CommandContext<'hookFacts' | 'tasks'>,
  hook: Hook,
  {
    counts,
    known = {},
    focus,
  }: { readonly counts?: HookCounts; readonly known?: KnownOfTrigger; readonly focus?: string } = {},
): Promise<void> {
  const isShown = mayShowSecrets(context.source)
  if (isShown) await context.audit('hook token shown', { hookId: hook.id, name: hook.name })
  const secret = isShown ? hook.secret : HIDDEN
  const { url, curl } = fireInstructions(hook, secret)
  const { slots, stamps } = alertTermsOf(hook.command)
  const alert = alertMessage(slots, stamps)
  const facts = context.ports.hookFacts()(hook)
  const idle = whyIdle(context.ports, hook)
  const rows = [
    ['url', url],
    ['token', secret],
    ['command', printable(hook.command, 200)],
    ['account', printable(hook.account ?? 'the one in focus when it fires', 60)],
    ...(focus === undefined ? [] : [['symbol', `the one in focus when it fires, ${printable(focus, 40)} now`]]),
    ...(hook.parallel === undefined ? [] : [['at once', `${hook.parallel}`]]),
    ...(hook.maxAgeMs === undefined ? [] : [['max age', showDuration(hook.maxAgeMs)]]),
    ...(stamps.key === undefined
      ? []
      : [['repeats', `an alert with the same ${stamps.key.name} within 24h runs nothing`]]),
    ...(stamps.time === undefined
      ? []
      : [['alert age', `at most ${showDuration(stamps.time.maxAgeMs)} since its ${stamps.time.name}`]]),
    ...(hook.when === undefined ? [] : [['when', whenText(hook.when, context.clock.now())], ...knownRows(known)]),
    ...(idle === undefined ? [] : [['not fired', idle]]),
    ...(hook.dry === true ? [['orders', 'computed and not sent (--dry)']] : []),
    ...(hook.paused === undefined ? [] : [['state', stateText(hook, context.clock.now())]]),
    ...(hook.limits === undefined ? [] : [['limits', limitTexts(hook, facts).join('; ')]]),
    ...(counts === undefined ? [] : countRows(counts)),
  ]
  context.out.print(renderTable([{ title: '' }, { title: '' }], rows), {
    type: 'hook',
    ...hookData(hook, facts, known),
    url,
    token: secret,
    ...defined({ lastDay: counts, alert }),
  })
  // On a line of its own, so that a triple click takes just what is to be pasted.
  context.out.print(curl)
  if (alert === undefined) return
  context.out.info('paste one of these as the message of the alert, then set the sizes in it:')
  context.out.print(alert.json)
  context.out.print(alert.pairs)
}

function hookData(hook: Hook, facts: FireFacts, known?: KnownOfTrigger): HookData {
  const { id, name, command, account, createdAt } = hook
  return { id, name, command, ...defined({ account }), createdAt, ...careData(hook, facts, known) }
}

/** `hook create dip buy $250` has too many words because the body is not quoted: say so. */
function refuseUnquoted(args: readonly Argument[], when: Argument | undefined): void {
  const extra = args[2]
  const body = args[1]
  if (extra !== undefined && when?.kind === 'word') {
    const hint = 'put all of it in quotes: --when "close(1h) > ema(50)"'
    throw new LanguageError('unexpected-argument', '--when takes one argument', extra.column, hint)
  }
  if (body?.kind === 'word') refuseTypographic(body.text, body.column)
  if (extra === undefined) return
  const line = `hook create ${args.slice(0, 1).map(printArgument).join('')} "${args.slice(1).map(printArgument).join(' ')}"`
  const isPlain = args.every(({ kind }) => kind === 'word') && line.length <= 100
  const hint = isPlain ? `type \`${line}\`` : 'type hook create dip "buy $250 stop -2%"'
  throw new LanguageError('unexpected-argument', 'a hook takes one quoted command', extra.column, hint)
}

// How the fires of a hook went in the last 24 h, in two lines.

const NO_FIRES: HookCounts = { fires: 0, ok: 0, failed: 0, skipped: 0, expired: 0 }

function countRows(counts: HookCounts): readonly (readonly [string, string])[] {
  const { last } = counts
  return [['24 h', describeDay(counts)], ...(last === undefined ? [] : [['last', describeLast(last)] as const])]
}

/** `12 fires: 9 ok, 2 failed, 1 skipped; median 84ms, p95 1.2s`. */
function describeDay({ fires, medianMs, p95Ms, ...counts }: HookCounts): string {
  if (fires === 0) return 'no fires'
  const parts = (['ok', 'failed', 'skipped', 'expired'] as const)
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome].toLocaleString('en-US')} ${outcome}`)
  const took =
    medianMs === undefined || p95Ms === undefined
      ? ''
      : `; median ${showDuration(medianMs)}, p95 ${showDuration(p95Ms)}`
  return `${fires === 1 ? '1 fire' : `${fires.toLocaleString('en-US')} fires`}: ${parts.join(', ')}${took}`
}

function describeLast({ at, outcome, error }: NonNullable<HookCounts['last']>): string {
  // Its words say it themselves: `skipped: cooldown of 1m`.
  const isNamed = outcome === 'skipped' || outcome === 'expired'
  const why = error === undefined ? '' : printable(error, 200)
  return `${showMoment(at)}, ${isNamed && why !== '' ? why : `${outcome}${why === '' ? '' : `: ${why}`}`}`
}
