// `hooks:counts`: how the fires of each hook went in the last 24 h, and what is left of its limits.
import { leftData } from '../../commands/hooks/limit-lines.ts'
import { describeRefusal, isRefusal } from '../../commands/kit/refusal.ts'
import { isCounted } from '../../hooks/fire-limits.ts'
import type { ServerFrame } from '../../protocol/frames.ts'
import type { Runner } from '../../runtime/runner.ts'
import type { SessionsOptions } from './sessions-options.ts'

export async function answerHookCounts(
  session: { send(frame: ServerFrame): void },
  id: string,
  {
    stores,
    hookCounts,
    runner,
    events,
  }: Pick<SessionsOptions, 'hookCounts' | 'events'> & {
    readonly runner: Pick<Runner, 'hookFacts'>
    readonly stores: Pick<SessionsOptions['stores'], 'hooks'>
  },
): Promise<void> {
  try {
    const counts = await hookCounts()
    const all = stores.hooks.list()
    const hooks = all.flatMap(({ id: hookId }) => {
      const day = counts.get(hookId)
      return day === undefined ? [] : [{ hookId, ...day }]
    })
    // The runs that count are in memory: the journal is read for the first one that asks, be it a fire or a page.
    const left = all.filter(isCounted).map((hook) => ({ hookId: hook.id, ...leftData(hook, runner.hookFacts(hook)) }))
    session.send({ t: 'hooks:day', id, hooks, left })
  } catch (error) {
    if (!isRefusal(error)) events.bug(error)
    session.send({ t: 'error', id, error: isRefusal(error) ? describeRefusal(error) : 'internal error' })
  }
}
