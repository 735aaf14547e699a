// What a line or a fire would do, asked while it is typed or looked at: after a pause, the newest wins, and anew as prices move.
import { useCallback, useEffect, useRef, useState } from 'react'
import { ClientError } from '../../client/client-error.ts'
import type { Preview } from '../../protocol/preview.ts'
import { useConsole } from '../use-console.ts'

const PAUSE_MS = 150
const AGAIN_MS = 3_000

export interface Previewed {
  /** Of what is there now; undefined: not known yet. */
  readonly preview: Preview | undefined
  readonly problem: string | undefined
  readonly askNow: () => void
}

interface Answer {
  readonly key: string
  readonly preview?: Preview
  readonly problem?: string
}

/** @param line undefined: there is none */
export function usePreview(
  line: string | undefined,
  account: string | undefined,
  symbol: string | undefined,
): Previewed {
  const { looks } = useConsole()
  const isComplete = line !== undefined && account !== undefined && symbol !== undefined
  return useAsked(isComplete ? `${account} ${symbol} ${line}` : undefined, () =>
    isComplete ? looks.preview(line, { account, symbol }) : undefined,
  )
}

/** @param body of the alert; absent: it has none */
export function useFirePreview(hookId: string, body: string | undefined): Previewed {
  const { looks } = useConsole()
  return useAsked(`${hookId} ${body}`, () => looks.testHook(hookId, body))
}

/** Open ones. hookline works out one preview of a page at a time: what lies behind a question does not take its place. */
let questions = 0

/** Of a question that is open. */
export function useFirstPlace(): void {
  useEffect(() => {
    questions++
    return () => {
      questions--
    }
  }, [])
}

function useAsked(key: string | undefined, ask: () => Promise<Preview> | undefined): Previewed {
  const [answer, setAnswer] = useState<Answer>()
  const newest = useRef({ number: 0, ask })
  useEffect(() => {
    newest.current.ask = ask
  })
  const askNow = useCallback(() => {
    const number = ++newest.current.number
    if (key === undefined) return
    const take = (taken: Omit<Answer, 'key'>) => number === newest.current.number && setAnswer({ key, ...taken })
    newest.current.ask()?.then(
      (preview) => take({ preview }),
      (error: unknown) => {
        if (!(error instanceof ClientError)) throw error
        if (error.code !== 'superseded') take({ problem: error.message })
      },
    )
  }, [key])
  useEffect(() => {
    const depth = questions
    const askUncovered = () => questions <= depth && document.visibilityState === 'visible' && askNow()
    const pause = setTimeout(askNow, PAUSE_MS)
    const again = setInterval(askUncovered, AGAIN_MS)
    return () => {
      clearTimeout(pause)
      clearInterval(again)
    }
  }, [askNow])
  const isCurrent = key !== undefined && answer?.key === key
  return { preview: isCurrent ? answer.preview : undefined, problem: isCurrent ? answer.problem : undefined, askNow }
}
