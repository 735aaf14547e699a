// Sessions that left with runs under way. Their runs go on for a while, or to their end where they are detached (behaviour 30); none longer
// than the trust in the client.
import type { RunRequest } from '../../runs/run.ts'
import type { Runner } from '../../runtime/runner.ts'
import { LISTENER_LIMITS } from '../listener-limits.ts'
import type { Session } from './session.ts'

interface Departed {
  readonly session: Session
  readonly end: NodeJS.Timeout
}

export class DepartedSessions {
  readonly #runner: Pick<Runner, 'stop'>
  readonly #departed = new Map<string, Departed>()

  constructor(runner: Pick<Runner, 'stop'>) {
    this.#runner = runner
  }

  list(): readonly Session[] {
    return [...this.#departed.values()].map(({ session }) => session)
  }

  add(session: Session): void {
    if (!session.underWay.hasRuns) return
    const end = setTimeout(() => this.#endRuns(session.id), LISTENER_LIMITS.departedRunMs)
    this.#departed.set(session.id, { session, end: end.unref() })
  }

  runEnded(sessionId: string, replyId: string): void {
    const departed = this.#departed.get(sessionId)
    if (departed === undefined) return
    const { underWay } = departed.session
    underWay.endRun(replyId)
    if (underWay.hasRuns) return
    clearTimeout(departed.end)
    this.#departed.delete(sessionId)
  }

  stop(): void {
    for (const { end } of this.#departed.values()) clearTimeout(end)
  }

  #endRuns(sessionId: string): void {
    const isLeft = (run: RunRequest) => run.sessionId === sessionId && run.detach !== true
    this.#runner.stop(isLeft, 'stopped: its page has left')
  }
}
