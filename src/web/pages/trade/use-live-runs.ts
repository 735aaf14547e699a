// What runs now, and what has ended lately, as long as something shows it.
import { useEffect, useState } from 'react'
import type { RunRow } from '../../../protocol/frames.ts'
import { useConsole } from '../../use-console.ts'
import { withRuns } from './run-list.ts'

/** undefined: nothing is known yet. */
export function useLiveRuns(): readonly RunRow[] | undefined {
  const { looks } = useConsole()
  const [runs, setRuns] = useState<readonly RunRow[]>()
  useEffect(() => {
    const stops = [
      looks.on('state:runs', (frame) => setRuns((known) => withRuns(known, frame))),
      looks.subscribe('runs'),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [looks])
  return runs
}
