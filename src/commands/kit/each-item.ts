// One command over several symbols: one line each, and one that fails does not stop the others.
import type { CommandContext } from './command.ts'
import { CommandError } from './command-error.ts'
import { describeRefusal, isRefusal } from './refusal.ts'

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
  const failed: string[] = []
  for (const item of items) {
    try {
      await work(item)
    } catch (error) {
      if (!isRefusal(error)) throw error
      failed.push(item)
      context.out.error(`${item}: ${describeRefusal(error)}`)
    }
  }
  if (failed.length === 0) return
  throw new CommandError('partly-failed', `${failed.length} of ${items.length} failed: ${failed.join(', ')}`)
}
