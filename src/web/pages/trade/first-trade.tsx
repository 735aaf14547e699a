// The last of the first three steps: a trade with simulated money, by one click. Gone for good once there was one.

import { useEffect, useState } from 'react'
import { readText, writeText } from '../../../client/text-storage.ts'
import { typedLine } from '../../../language/print.ts'
import { Icon } from '../../components/icon.tsx'
import { scopeOf, shownPortfolio, whyNoCommands } from '../../state/console-state.ts'
import { useConsole, useDesk, useDeskParts } from '../../state/use-console.ts'

const KEY = 'hookline.first-trade'
/** Long enough to be read. */
const DONE_MS = 10_000

export function FirstTrade() {
  const console = useConsole()
  const state = useDeskParts('focus', 'portfolio', 'chosen', 'accounts', 'tabPortfolio')
  const noCommands = useDesk(whyNoCommands)
  const isUnlisted = useDesk(({ market }) => market?.unlisted === true)
  const [isOver, setOver] = useState(() => readText(KEY) !== undefined)
  const [isDone, setDone] = useState(false)
  const portfolio = shownPortfolio(state)
  const scope = scopeOf(state)
  const isPaper = state.accounts?.find(({ name }) => name === scope?.account)?.exchange === 'paper'
  const holdsSomething = portfolio !== undefined && portfolio.positions.length > 0
  useEffect(() => {
    if (!holdsSomething) return
    writeText(KEY, 'made')
    setDone(true)
  }, [holdsSomething])
  useEffect(() => {
    if (!isDone) return undefined
    const timer = setTimeout(() => setOver(true), DONE_MS)
    return () => clearTimeout(timer)
  }, [isDone])
  if (isOver || !isPaper || scope === undefined || portfolio === undefined || isUnlisted) return null
  const line = typedLine`buy $1000 ${scope.symbol}`
  return (
    <section className="boxed round gap-5 row first-trade" aria-label="First steps">
      <ol className="fill cluster">
        <li data-done="true">hookline is running</li>
        <li data-done="true">This page is approved</li>
        <li data-done={isDone}>
          {isDone ? 'First trade made, with simulated money' : 'Make a first trade, with simulated money'}
        </li>
      </ol>
      {!isDone && (
        <button
          type="button"
          className="button primary"
          disabled={noCommands !== undefined || line === undefined}
          title={noCommands}
          onClick={() => void console.runFromPanel(line, scope)}
        >
          <code>{line}</code>
        </button>
      )}
      <button
        type="button"
        className="button icon"
        aria-label="Close the first steps"
        onClick={() => {
          writeText(KEY, 'made')
          setOver(true)
        }}
      >
        <Icon name="close" size={16} />
      </button>
    </section>
  )
}
