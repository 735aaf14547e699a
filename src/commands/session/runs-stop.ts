// `runs stop`: ends runs, in whichever process they are. It may come from anywhere: stopping is the safe direction (behaviour 19).
import { shown } from '../../language/printable.ts'
import type { RunSummary } from '../../runs/run.ts'
import { findByIdPrefix, MIN_PREFIX_LENGTH, nameKey } from '../../stores/rows.ts'
import type { StopScope } from '../../stores/stops.ts'
import type { CommandContext, CommandForm } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import type { StoppedRuns } from '../kit/ports.ts'
import { refuseMoreThan, requireText } from '../kit/read-arguments.ts'

type Ports = 'runs' | 'stops' | 'hooks'

export const runsStop: CommandForm<Ports> = {
  name: 'stop',
  neverGuessed: true,
  usage: '<run | hook | --all>',
  summary: 'end runs and waiting fires: one, those of a hook, or all',
  where: 'anywhere',
  immediate: true,
  examples: [
    { line: 'runs stop 3f9c2a71', says: 'one run, as `runs` shows it; what it placed stays placed' },
    { line: 'runs stop dip', says: 'what hook dip runs, and what waits to run' },
    { line: 'runs stop --all', says: 'every run of every hookline that shares these files' },
  ],
  complete: ({ words, runs, hooks }) =>
    words.length === 0 ? ['--all', ...hooks.map(({ name }) => name), ...runs] : [],
  async run(context, args) {
    const what = requireText(args, 0, 'a run, a hook or --all')
    refuseMoreThan(1, args)
    const scope = scopeOf(context, what)
    const stopped = await context.ports.stops.say(scope, context.runId)
    context.out.success(
      `stopped ${countStopped(stopped)} here; other hooklines that share these files stop theirs within a second`,
    )
  },
}

/** `3 running and 12 waiting`. */
export function countStopped({ running, waiting }: StoppedRuns): string {
  return `${running} running and ${waiting} waiting`
}

/**
 * What is both a hook's name and the beginning of an id finds neither: pages name hooks, and such a name must not keep a run from being stopped
 * unnoticed. A whole id always finds its own. A run of another process is stopped by its id, or by the beginning of one.
 * @throws {CommandError} `prefix-too-short`, `not-found` @throws {StoreError} `ambiguous`
 */
function scopeOf({ ports }: CommandContext<Ports>, what: string): StopScope {
  if (what === '--all') return 'runs'
  const underWay = ports.runs().filter(({ state }) => state === 'running' || state === 'waiting')
  const stoppable = [
    ...hooksByName([...underWay.flatMap(hookOf), ...ports.hooks.list()]),
    ...underWay.map(({ runId }) => ({ id: runId, name: '', scope: `run:${runId}` as const })),
  ]
  if (
    what.length < MIN_PREFIX_LENGTH &&
    !stoppable.some(({ name }) => name !== '' && nameKey(name) === nameKey(what))
  ) {
    throw new CommandError('prefix-too-short', `${shown(what)} is neither a hook nor the id of a run`, {
      hint: `give the name of a hook, or at least ${MIN_PREFIX_LENGTH} characters of an id that \`runs\` shows`,
    })
  }
  const isHere = stoppable.some(({ id, name }) => id.startsWith(what.toLowerCase()) || nameKey(name) === nameKey(what))
  if (!isHere && RUN_ID.test(what)) return `run:${what.toLowerCase()}`
  const noun = 'running or waiting run'
  return findByIdPrefix(stoppable, { prefix: what, idOf: ({ id }) => id, nameOf: ({ name }) => name, noun }).scope
}

/** Of a UUID, from its beginning. */
const RUN_ID = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/i

/** The row of a hook may be gone while its fires are not. */
function hookOf({ hookId, origin = '' }: RunSummary): readonly { readonly id: string; readonly name: string }[] {
  return hookId === undefined ? [] : [{ id: hookId, name: origin }]
}

/** One for each name: a hook that was made again has that of the one before, whose runs ended with it. */
function hooksByName(hooks: readonly { readonly id: string; readonly name: string }[]) {
  const byName = new Map(hooks.map((hook) => [nameKey(hook.name), hook]))
  return [...byName.values()].map(({ id, name }) => ({ id, name, scope: `runs:${id}` as const }))
}
