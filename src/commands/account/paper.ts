// `paper faults`: what goes wrong on a paper account on purpose, so that a trader sees a bad day before a live venue has one.
import {
  describeFault,
  FAULTS,
  type FaultRow,
  type PaperControls,
  paperControls,
  switchFault,
} from '../../exchanges/paper/paper-controls.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { shown } from '../../language/printable.ts'
import { nearest } from '../../language/typo-match.ts'
import type { CommandContext, CommandFamily, CommandForm } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { renderTable } from '../kit/lines.ts'
import type { PortName } from '../kit/ports.ts'
import { missing, readInteger, readText, refuseMoreThan } from '../kit/read-arguments.ts'
import { replay } from './paper-replay.ts'

const NAMES = FAULTS.map((fault) => fault.name)

const faults: CommandForm = {
  name: 'faults',
  usage: '[list]\n<fault> on|off|<n>\noff',
  summary: 'make the paper account lose answers, refuse, fall silent or fill in parts, as live venues do',
  where: 'trusted',
  examples: [
    { line: 'paper faults', meaning: 'every fault, and which are on' },
    { line: 'paper faults lost-answers 3', meaning: 'every third order is placed but never answered' },
    { line: 'paper faults lost-orders on', meaning: 'orders no longer arrive, and no error is reported' },
    { line: 'paper faults gap 10', meaning: 'no fills and no prices for 10 seconds' },
    { line: 'paper faults latency 250', meaning: 'everything takes a quarter of a second' },
    { line: 'paper faults off', meaning: 'no faults' },
  ],
  complete: ({ words }) => (words.length === 0 ? ['list', ...NAMES, 'off'] : words.length === 1 ? ['on', 'off'] : []),
  async run(context, args) {
    const controls = await requirePaper(context)
    const [first, second] = args
    const word = first === undefined ? 'list' : readText(first).toLowerCase()
    if (word === 'list') {
      refuseMoreThan(1, args)
      return context.out.print(listFaults(controls, context.clock.now()))
    }
    if (word === 'off') {
      refuseMoreThan(1, args)
      await controls.setFaults({})
      return context.out.success('all faults are off')
    }
    refuseMoreThan(2, args)
    const fault = FAULTS.find((row) => row.name === word)
    if (fault === undefined || first === undefined) throw unknownFault(word, first)
    if (second === undefined) throw missing(args, '`on`, `off` or a number')
    const now = context.clock.now()
    const next = switchFault(controls.faults(), fault, readSetting(fault, second), now)
    await controls.setFaults(next)
    context.out.success(`${fault.name}: ${describeFault(next, fault, now)} (${fault.meaning})`)
  },
}

export const paper: CommandFamily<PortName> = {
  name: 'paper',
  group: 'account',
  summary: 'faults and price replays of a paper account',
  bare: 'faults',
  forms: [faults, replay],
}

async function requirePaper(context: CommandContext): Promise<PaperControls> {
  const { name, venue } = await context.account()
  const controls = paperControls(venue)
  if (controls !== undefined) return controls
  throw new CommandError('not-supported', `account ${name} is on ${venue.id}, which cannot be made to fail`, {
    hint: '`account use paper` trades on the paper account',
  })
}

function listFaults(controls: PaperControls, now: number): string {
  const set = controls.faults()
  const columns = [{ title: 'fault' }, { title: 'now' }, { title: 'what happens' }]
  return renderTable(
    columns,
    FAULTS.map((fault) => [fault.name, describeFault(set, fault, now), fault.meaning]),
  )
}

function readSetting(fault: FaultRow, argument: Argument): 'on' | 'off' | number {
  const word = readText(argument).toLowerCase()
  if (word === 'on' || word === 'off') return word
  if (fault.unit !== 'switch') return readInteger(argument, 1, fault.max)
  throw new LanguageError(
    'bad-argument',
    `\`${fault.name}\` takes on or off, not ${shown(word)}`,
    argument.column,
    'type on or off',
  )
}

function unknownFault(word: string, argument: Argument | undefined): LanguageError {
  const near = nearest(word, NAMES)
  return new LanguageError(
    'bad-argument',
    `no fault ${shown(word)} found`,
    argument?.column ?? 1,
    near === undefined ? '`paper faults` lists them' : `did you mean ${near}?`,
  )
}
