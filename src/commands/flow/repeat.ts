// Runs a group several times, one after another.
import type { Argument, CommandCall, Group } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printArgument } from '../../language/print.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { readInteger, refuseMoreThan, showText } from '../kit/read-arguments.ts'
import { interrupted, MAX_STEPS } from '../kit/running.ts'

const MAX_REPEATS = 1000
/** What takes longer lets the next typed line begin, as `wait` does. */
const AT_ONCE_MS = 1_000

export const repeat: SingleCommand = {
  name: 'repeat',
  group: 'flow',
  usage: '<times> (<commands>)',
  summary: 'run commands 1 to 1000 times, one round after another, until a round fails',
  where: 'anywhere',
  underPanic: true,
  examples: [
    { line: 'repeat 3 (buy $100; sleep 1s)', meaning: 'three small entries, a second apart' },
    { line: 'repeat 2 (price & balance)', meaning: 'both at once, twice' },
    { line: 'repeat 5 (buy $100 || sleep 1s)', meaning: 'continues with the next round when an entry fails' },
  ],
  check: readRepeat,
  async run(context, args) {
    const { count, group } = readRepeat(args)
    const ended = new AbortController()
    const goesOn = context.clock.delay(AT_ONCE_MS, AbortSignal.any([context.signal, ended.signal]))
    void goesOn.then(() => ended.signal.aborted || context.isAborted || context.by.onWait?.())
    try {
      await runRounds(context, count, group)
    } finally {
      ended.abort()
    }
  },
}

async function runRounds(context: CommandContext, count: number, group: Group): Promise<void> {
  for (let round = 1; round <= count; round += 1) {
    if (context.signal.aborted) throw interrupted()
    if (await context.runChain(group.chain)) continue
    if (context.signal.aborted) throw new CommandError('interrupted', `stopped in round ${round} of ${count}`)
    const left = count - round
    throw new CommandError('round-failed', `round ${round} of ${count} failed${left > 0 ? `; ${left} not run` : ''}`)
  }
}

/** @throws {LanguageError} also for more steps than a run may take, where the line alone says so */
function readRepeat(args: readonly Argument[]): { readonly count: number; readonly group: Group } {
  const [times, group] = args
  if (times === undefined || !/^\d+$/.test(showText(times))) {
    throw new LanguageError(
      'missing-argument',
      'the number of rounds is missing',
      times?.column ?? 1,
      exampleOf(3, args),
    )
  }
  const count = readInteger(times, 1, MAX_REPEATS)
  if (group?.kind !== 'group') {
    const message =
      group === undefined ? 'the commands to repeat are missing' : 'the commands to repeat belong in parentheses'
    throw new LanguageError('bad-argument', message, group?.column ?? times.column, exampleOf(count, args.slice(1)))
  }
  refuseMoreThan(2, args)
  if (1 + count * stepsIn(group) <= MAX_STEPS) return { count, group }
  throw new LanguageError(
    'too-many-steps',
    'this takes more than the 10,000 steps of one run',
    times.column,
    'repeat less often, or do the rest in another run',
  )
}

function exampleOf(count: number, commands: readonly Argument[]): string {
  const text = commands.length === 0 ? 'price' : commands.map(printArgument).join(' ')
  return `type \`repeat ${count} ${text.startsWith('(') ? text : `(${text})`}\``
}

/** When every step succeeds, without what aliases stand for. */
function stepsIn({ chain }: Group): number {
  let steps = 0
  for (const { commands } of chain.stages) {
    for (const step of commands) {
      const runs = [step, ...(step.links ?? []).filter(({ operator }) => operator === '&&').map(({ call }) => call)]
      steps += runs.reduce((sum, call) => sum + stepsOf(call), 0)
    }
  }
  return steps
}

function stepsOf({ name, args }: CommandCall): number {
  const [times, group] = args
  if (name.toLowerCase() !== 'repeat' || times?.kind !== 'word' || group?.kind !== 'group') return 1
  return 1 + (/^\d{1,4}$/.test(times.text) ? Number(times.text) : 1) * stepsIn(group)
}
