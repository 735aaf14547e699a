// What a line would do, asked while it is typed: after a pause, the newest wins, and anew as prices move.
import { useCallback, useEffect, useRef, useState } from 'react'
import { ClientError } from '../../../../client/client-error.ts'
import type { Preview } from '../../../../protocol/preview.ts'
import { useConsole } from '../../../use-console.ts'

const PAUSE_MS = 150
const AGAIN_MS = 3_000

export interface Previewed {
  /** Of the line that is there now; undefined: not known yet. */
  readonly preview: Preview | undefined
  readonly problem: string | undefined
  readonly askNow: () => void
}

interface Answer {
  readonly key: string
  readonly preview?: Preview
  readonly problem?: string
}

/** @param line undefined: there is none, or nobody to ask */
export function usePreview(
  line: string | undefined,
  account: string | undefined,
  symbol: string | undefined,
): Previewed {
  const { looks } = useConsole()
  const [answer, setAnswer] = useState<Answer>()
  const key = `${account} ${symbol} ${line}`
  const newest = useRef(0)
  const askNow = useCallback(() => {
    const number = ++newest.current
    if (line === undefined || account === undefined || symbol === undefined) return
    const take = (taken: Omit<Answer, 'key'>) => number === newest.current && setAnswer({ key, ...taken })
    looks.preview(line, { account, symbol }).then(
      (preview) => take({ preview }),
      (error: unknown) => {
        if (!(error instanceof ClientError)) throw error
        if (error.code !== 'superseded') take({ problem: error.message })
      },
    )
  }, [looks, line, account, symbol, key])
  useEffect(() => {
    const pause = setTimeout(askNow, PAUSE_MS)
    const again = setInterval(() => document.visibilityState === 'visible' && askNow(), AGAIN_MS)
    return () => {
      clearTimeout(pause)
      clearInterval(again)
    }
  }, [askNow])
  const isCurrent = answer?.key === key && line !== undefined
  return { preview: isCurrent ? answer.preview : undefined, problem: isCurrent ? answer.problem : undefined, askNow }
}
