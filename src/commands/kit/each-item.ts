// One command over several symbols: one line each, and one that fails does not stop the others. Commands that add to a position look
// first at all of them (`foresee.ts`); those that reduce go as far as they can.
import { Simulated } from '../../exchange/simulated.ts'
import type { CommandContext } from './command.ts'
import { CommandError } from './command-error.ts'
import { describeRefusal, isRefusal } from './refusal.ts'
import { sayWould } from './simulated-lines.ts'

/**
 * Runs `work` for each item in order. A single item fails as itself; of several, each refusal is printed and the step
 * fails at the end.
 * @throws {CommandError} `partly-failed`
 */
export async function forEachItem(
  context: CommandContext,
  items: readonly string[],
  work: (item: string) => Promise<void>,
): Promise<void> {
  if (items.length === 1 && items[0] !== undefined) return work(items[0])
  const failed = await failuresOf(context, items, work)
  if (failed.length === 0) return
  throw new CommandError('partly-failed', `${failed.length} of ${items.length} failed: ${failed.join(', ')}`)
}

async function failuresOf(
  context: CommandContext,
  items: readonly string[],
  work: (item: string) => Promise<unknown>,
): Promise<readonly string[]> {
  const failed: string[] = []
  for (const item of items) {
    try {
      await work(item)
    } catch (error) {
      if (error instanceof Simulated) {
        sayWould(error.would, (text, data) => context.out.info(text, data))
        continue
      }
      if (!isRefusal(error)) throw error
      failed.push(item)
      context.out.error(`${item}: ${describeRefusal(error)}`)
    }
  }
  return failed
}
