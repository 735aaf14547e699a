// A step with `--dry`: worked out behind the desk of a preview, told as it goes, and its orders once more with what they would cost.
import type { AnyForm } from '../../commands/kit/command.ts'
import { ordersTable, positionLines, printWould, takenLine } from '../../commands/kit/preview.ts'
import { Simulated } from '../../exchange/simulated.ts'
import type { Argument, Chain } from '../../language/chain.ts'
import { nothingLooked } from '../../trading/preview/preview-desk.ts'
import { type LiveRun, RunContext, type RunEnvironment } from '../run-context.ts'
import { lookingOnly, previewOrders } from './preview-orders.ts'

export interface DryStep {
  readonly form: AnyForm
  readonly args: readonly Argument[]
  readonly isNear: boolean
  readonly isFar: boolean
  readonly run: LiveRun
  readonly environment: RunEnvironment
  readonly runChain: (chain: Chain) => Promise<boolean>
}

/** Rejects as the form does, but for what was only simulated: the step has succeeded with that. */
export async function runDry({ form, args, isNear, isFar, run, environment, runChain }: DryStep): Promise<void> {
  const looked = nothingLooked()
  const { ports } = environment
  const connect = lookingOnly(environment.connect, looked)
  const quiet: RunEnvironment = { ...environment, connect, ports: { ...ports, connect } }
  try {
    await form.run(new RunContext(run, quiet, runChain, { isDry: true, isNear, isFar }), args)
  } catch (error) {
    if (!(error instanceof Simulated)) throw error
    printWould(error.would, (text, data) => run.emit('info', text, data))
  }
  const { orders, changes, positions } = await previewOrders(looked, (text) => run.emit('info', text))
  if (orders.length > 0) run.emit('print', ordersTable(orders, run.accountName))
  const taken = changes.map(takenLine).filter((line) => line !== undefined)
  for (const line of taken) run.emit('info', line)
  if (taken.length > 0) for (const line of positionLines(positions, run.accountName)) run.emit('info', line)
}
