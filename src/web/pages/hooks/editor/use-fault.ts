// What hookline has against a command while it is typed: the page's own parser at once, hookline itself a moment later.
import { useEffect, useMemo, useState } from 'react'
import { isLive, scopeOf } from '../../../console-state.ts'
import { useConsole, useDesk } from '../../../use-console.ts'
import { asOneLine, type Fault, faultIn } from './grammar.ts'

const PAUSE_MS = 200

/** undefined: nothing is known against it. */
export function useFault(text: string): Fault | undefined {
  const console = useConsole()
  const isUsable = useDesk(isLive)
  const line = asOneLine(text)
  const own = useMemo(() => faultIn(line), [line])
  const [told, setTold] = useState<{ readonly line: string; readonly fault: Fault | undefined }>()
  const isAsked = isUsable && own === undefined && line.trim() !== ''
  useEffect(() => {
    if (!isAsked) return undefined
    let isOver = false
    const timer = setTimeout(async () => {
      const scope = scopeOf(console.getState())
      // A hookline that is too old, or that went away, says so when the line is run.
      const answer = await console.ask.complete({ line, cursor: 0, hook: true, ...scope }).catch(() => undefined)
      if (!isOver && answer !== undefined) setTold({ line, fault: answer.error })
    }, PAUSE_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [console, isAsked, line])
  return own ?? (told?.line === line && isAsked ? told.fault : undefined)
}

/** In a sentence, with its place where it is not the whole. */
export function faultWords({ message, column, hint }: Fault): string {
  const where = column === undefined ? '' : `Column ${column}: `
  return `${where}${message}${hint === undefined ? '' : `; ${hint}`}`
}
