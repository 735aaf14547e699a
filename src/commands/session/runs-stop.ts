// `runs stop`: ends runs of this process. It may come from anywhere: stopping is the safe direction (behaviour 19).
import { shown } from '../../language/printable.ts'
import type { RunRequest, RunSummary } from '../../runs/run.ts'
import { findByIdPrefix, MIN_PREFIX_LENGTH } from '../../stores/id-prefix.ts'
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

/** The name of a hook comes before the id of a run. @throws {CommandError} `prefix-too-short` @throws {StoreError} `ambiguous`, `not-found` */
function selection({ ports }: CommandContext<Ports>, what: string): (run: RunRequest) => boolean {
  if (what === '--all') return () => true
  const name = what.toLowerCase()
  const isHook = (hook: { readonly id: string; readonly name: string }) =>
    hook.name.toLowerCase() === name || (name.length >= MIN_PREFIX_LENGTH && hook.id.startsWith(name))
  const hook = ports.hooks.list().find(isHook)
  if (hook !== undefined) return ({ hookId }) => hookId === hook.id
  const isOfHook = ({ source, origin }: Pick<RunSummary, 'source' | 'origin'>) =>
    source === 'hook' && origin?.toLowerCase() === name
  const underWay = ports.runs().filter(({ state }) => state === 'running' || state === 'waiting')
  // Its row may be gone while its fires are not.
  if (underWay.some(isOfHook)) return isOfHook
  if (what.length < MIN_PREFIX_LENGTH) {
    throw new CommandError('prefix-too-short', `${shown(what)} is neither a hook nor the id of a run`, {
      hint: `give the name of a hook, or at least ${MIN_PREFIX_LENGTH} characters of an id that \`runs\` shows`,
    })
  }
  const { runId } = findByIdPrefix(underWay, { prefix: what, idOf: (run) => run.runId, noun: 'running or waiting run' })
  return (run) => run.runId === runId
}
