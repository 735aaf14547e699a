// `runs stop`: ends runs of this process. It may come from anywhere: stopping is the safe direction (behaviour 19).
import { shown } from '../../language/printable.ts'
import type { RunRequest, RunSummary } from '../../runs/run.ts'
import { findByIdPrefix, MIN_PREFIX_LENGTH, nameKey } from '../../stores/id-prefix.ts'
import type { CommandContext, CommandForm } from '../kit/command.ts'
import { CommandError } from '../kit/command-error.ts'
import type { StoppedRuns } from '../kit/ports.ts'
import { refuseMoreThan, requireText } from '../kit/read-arguments.ts'

type Ports = 'runs' | 'stops' | 'hooks'

export const runsStop: CommandForm<Ports> = {
  name: 'stop',
  usage: '<run | hook | --all>',
  summary: 'end runs and waiting fires: one, those of a hook, or all',
  where: 'anywhere',
  immediate: true,
  examples: [
    { line: 'runs stop 3f9c2a71', says: 'one run, as `runs` shows it; what it placed stays placed' },
    { line: 'runs stop dip', says: 'what hook dip runs, and what waits to run' },
    { line: 'runs stop --all', says: 'everything this process runs; `panic` reaches the others too' },
  ],
  complete: ({ words, runs, hooks }) =>
    words.length === 0 ? ['--all', ...hooks.map(({ name }) => name), ...runs] : [],
  run(context, args) {
    const what = requireText(args, 0, 'a run, a hook or --all')
    refuseMoreThan(1, args)
    const isMeant = selection(context, what)
    const stopped = context.ports.stops.stop((run) => run.runId !== context.runId && isMeant(run))
    if (stopped.running + stopped.waiting > 0) return context.out.success(`stopped ${countStopped(stopped)}`)
    context.out.info('nothing to stop in this process; `panic` also stops other hooklines that share these files')
  },
}

/** `3 running and 12 waiting`. */
export function countStopped({ running, waiting }: StoppedRuns): string {
  return `${running} running and ${waiting} waiting`
}

/**
 * What is both a hook's name and the beginning of an id finds neither: pages name hooks, and such a name must not keep a run from being stopped
 * unnoticed. A whole id always finds its own.
 * @throws {CommandError} `prefix-too-short` @throws {StoreError} `ambiguous`, `not-found`
 */
function selection({ ports }: CommandContext<Ports>, what: string): (run: RunRequest) => boolean {
  if (what === '--all') return () => true
  const underWay = ports.runs().filter(({ state }) => state === 'running' || state === 'waiting')
  const stoppable = [
    ...hooksByName([...underWay.flatMap(hookOf), ...ports.hooks.list()]),
    ...underWay.map(({ runId }) => ({ id: runId, name: '', isMeant: (run: RunRequest) => run.runId === runId })),
  ]
  if (
    what.length < MIN_PREFIX_LENGTH &&
    !stoppable.some(({ name }) => name !== '' && nameKey(name) === nameKey(what))
  ) {
    throw new CommandError('prefix-too-short', `${shown(what)} is neither a hook nor the id of a run`, {
      hint: `give the name of a hook, or at least ${MIN_PREFIX_LENGTH} characters of an id that \`runs\` shows`,
    })
  }
  const noun = 'running or waiting run'
  return findByIdPrefix(stoppable, { prefix: what, idOf: ({ id }) => id, nameOf: ({ name }) => name, noun }).isMeant
}

/** The row of a hook may be gone while its fires are not. */
function hookOf({ hookId, origin = '' }: RunSummary): readonly { readonly id: string; readonly name: string }[] {
  return hookId === undefined ? [] : [{ id: hookId, name: origin }]
}

/** One for each name: a hook that was made again has that of the one before. */
function hooksByName(hooks: readonly { readonly id: string; readonly name: string }[]) {
  return [...new Map(hooks.map((hook) => [nameKey(hook.name), hook]))].map(([key, { id, name }]) => ({
    ...{ id, name },
    isMeant: ({ source, hookId, origin = '' }: RunRequest) =>
      hookId === id || (source === 'hook' && nameKey(origin) === key),
  }))
}
