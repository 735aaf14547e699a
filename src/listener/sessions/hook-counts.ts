// `hooks:counts`: how the fires of each hook went in the last 24 h.
import { describeRefusal, isRefusal } from '../../commands/kit/refusal.ts'
import type { ServerFrame } from '../../protocol/frames.ts'
import type { SessionsOptions } from './sessions-options.ts'

export async function answerHookCounts(
  session: { send(frame: ServerFrame): void },
  id: string,
  {
    stores,
    hookCounts,
    events,
  }: Pick<SessionsOptions, 'hookCounts' | 'events'> & {
    readonly stores: Pick<SessionsOptions['stores'], 'hooks'>
  },
): Promise<void> {
  try {
    const counts = await hookCounts()
    const hooks = stores.hooks.list().flatMap(({ id: hookId }) => {
      const day = counts.get(hookId)
      return day === undefined ? [] : [{ hookId, ...day }]
    })
    session.send({ t: 'hooks:day', id, hooks })
  } catch (error) {
    if (!isRefusal(error)) events.bug(error)
    session.send({ t: 'error', id, error: isRefusal(error) ? describeRefusal(error) : 'internal error' })
  }
}
