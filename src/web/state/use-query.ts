// A query of hookline, kept fresh: asked when the question or the news changes, and every 30 s while the page is visible.
import { useEffect, useRef, useState } from 'react'
import { ClientError } from '../../client/pending-calls.ts'
import { isLive } from './console-state.ts'
import { useDesk } from './use-console.ts'

const EVERY_MS = 30_000

export interface QueryState<T> {
  /** The last one to this question; old while hookline is away. */
  readonly answer: T | undefined
  /** Why the last look brought none, in hookline's words. */
  readonly problem: string | undefined
}

const NOTHING: QueryState<never> = { answer: undefined, problem: undefined }

/**
 * @param question names what is asked: an answer to another question is never shown. undefined: nothing is asked
 * @param news a change of it asks again
 */
export function useQuery<T>(question: string | undefined, news: unknown, ask: () => Promise<T>): QueryState<T> {
  const isConnected = useDesk(isLive)
  const [state, setState] = useState<QueryState<T> & { readonly to: string | undefined }>({ ...NOTHING, to: undefined })
  const latest = useRef(ask)
  latest.current = ask
  // biome-ignore lint/correctness/useExhaustiveDependencies: the news says when to ask again
  useEffect(() => {
    if (!isConnected || question === undefined) return undefined
    let isOver = false
    const look = async () => {
      const next = await latest.current().then(
        (answer): QueryState<T> => ({ answer, problem: undefined }),
        (error: unknown): QueryState<T> => {
          if (!(error instanceof ClientError)) throw error
          return { answer: undefined, problem: error.message }
        },
      )
      if (isOver) return
      // The last answer stays beside the problem of the newest.
      setState((before) => ({ ...next, answer: next.answer ?? answerTo(before, question), to: question }))
    }
    void look()
    const timer = setInterval(() => document.visibilityState === 'visible' && void look(), EVERY_MS)
    return () => {
      isOver = true
      clearInterval(timer)
    }
  }, [isConnected, question, news])
  return state.to === question ? state : NOTHING
}

function answerTo<T>(before: QueryState<T> & { readonly to: string | undefined }, question: string): T | undefined {
  return before.to === question ? before.answer : undefined
}
