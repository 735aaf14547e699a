// `audit`: who changed what decides over money, and from where (behaviour 49).
import type { Argument } from '../../language/chain.ts'
import { printable } from '../../language/printable.ts'
import { parseMoment } from '../../language/time.ts'
import { keyTail } from '../../protocol/proof.ts'
import type { AuditEntry, DoneBy } from '../../stores/audit-log.ts'
import { MIN_PREFIX_LENGTH } from '../../stores/rows.ts'
import { showMoment, shownZone, showZonedTime } from '../../trading/figures.ts'
import type { CommandFamily, CommandForm } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { renderTable, showSource } from '../kit/lines.ts'
import { readInteger, refuseMoreThan, takeOption } from '../kit/read-arguments.ts'

const DEFAULT_COUNT = 20
const MAX_COUNT = 10_000

const list: CommandForm<'audit'> = {
  name: 'list',
  usage: '[count] [--since <time>]',
  summary: 'the newest entries: approvals, hooks, accounts, aliases, variables, switches, tokens shown',
  where: 'trusted',
  examples: [
    { line: 'audit', meaning: `the last ${DEFAULT_COUNT}, newest last` },
    { line: 'audit 100 --since 2h', meaning: 'of the last two hours, at most a hundred' },
  ],
  complete: () => ['--since'],
  run(context, args) {
    const { rest, value: since } = takeOption(args, '--since', 'the time')
    refuseMoreThan(1, rest)
    const count = rest[0] === undefined ? DEFAULT_COUNT : readInteger(rest[0], 1, MAX_COUNT)
    const from = since === undefined ? 0 : parseMoment(since, columnOf(args), context.clock.now())
    const entries = context.ports.audit.read().filter(({ at }) => at >= from)
    if (entries.length === 0) return context.out.info('nothing was recorded yet')
    const columns = ['#', `when (${shownZone()})`, 'what', 'from', 'details'].map((title) => ({ title }))
    context.out.print(renderTable(columns, entries.slice(-count).map(cellsOf)))
  },
}

const verify: CommandForm<'audit'> = {
  name: 'verify',
  usage: '',
  summary: 'verify that no line of the audit log was changed or removed',
  where: 'trusted',
  examples: [{ line: 'audit verify', meaning: 'names the first line that was changed' }],
  run(context, args) {
    refuseMoreThan(0, args)
    const verdict = context.ports.audit.verify()
    if (!verdict.whole) {
      const where = verdict.line === undefined ? 'audit.jsonl' : `audit.jsonl, line ${verdict.line}`
      throw new CommandError('audit-broken', `${where}: ${verdict.why}`, {
        hint: 'compare it with a copy: it was edited, or the disk is faulty',
      })
    }
    const { entries, torn, end } = verdict
    const cut = torn === 0 ? '' : `; ${torn === 1 ? '1 line was' : `${torn} lines were`} cut short by a crash`
    context.out.success(
      `${entries === 1 ? '1 entry is' : `${entries} entries are`} as written${cut}; the last hash is ${end.hash}`,
    )
  },
}

export const audit: CommandFamily = {
  name: 'audit',
  group: 'session',
  summary: 'log of changes and their origins: list, verify',
  bare: 'list',
  otherwise: 'list',
  forms: [list, verify],
}

function columnOf(args: readonly Argument[]): number {
  return args.find((argument) => argument.kind === 'word' && argument.text.startsWith('--since'))?.column ?? 1
}

function cellsOf({ n, at, what, by, details = {} }: AuditEntry): readonly string[] {
  return [String(n), showZonedTime(at), printable(what, 40), printable(describeDoer(by), 60), describeDetails(details)]
}

/** `terminal`, `web:Console http://127.0.0.1:53220`. */
function describeDoer(by: DoneBy | undefined): string {
  if (by === undefined) return ''
  const { source, label, origin } = by
  return [showSource(label === undefined ? source : `${source}:${label}`), origin].filter(Boolean).join(' ')
}

function describeDetails(details: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(changesIn(details)).map(
    ([name, value]) => `${wordsOf(name)} ${describeValue(name, value)}`,
  )
  return printable(parts.join(', '), 120)
}

/** A field as people read it: `hookId` is `hook`, `begunBy` is `begun by`. */
function wordsOf(field: string): string {
  return field.replace(/(?<=.)Id$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

/** Fields that hold a moment, in ms since the epoch. */
const TIMES = /^(since|until|at)$|At$/

/** Ids, keys and times as other lists show them; the file has them whole. */
function describeValue(name: string, value: unknown): string {
  if (typeof value === 'string') return describeText(name, value)
  if (TIMES.test(name) && typeof value === 'number' && value > 0) return showMoment(value)
  if (Array.isArray(value)) return value.map((each) => describeValue(name, each)).join(', ')
  return isFields(value) ? describeFields(value) : JSON.stringify(value)
}

/** `account paper halted since 2026-11-29 13:46:33 UTC by the terminal`. */
function describeFields(fields: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(fields).map(([name, value]) => {
    const text = describeValue(name, value)
    return name === 'state' ? text : `${wordsOf(name)} ${text}`
  })
  return words.join(' ')
}

function describeText(name: string, text: string): string {
  if (name === 'key') return keyTail(text)
  return /Id$/.test(name) ? text.slice(0, MIN_PREFIX_LENGTH) : text
}

/** Of a deed that says what is and what was, the difference. */
function changesIn(details: Readonly<Record<string, unknown>>): object {
  const { now, before, ...rest } = details
  if (!isFields(now) || !isFields(before)) return details
  const names = [...new Set([...Object.keys(now), ...Object.keys(before)])]
  const changed = names.filter((name) => JSON.stringify(now[name]) !== JSON.stringify(before[name]))
  return { ...Object.fromEntries(changed.map((name) => [name, now[name] ?? 'default'])), ...rest }
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
