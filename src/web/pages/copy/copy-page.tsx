// Copy: who copies whom and whether it holds, one pair to look at and change, and what was copied last.
import { useDesk } from '../../use-console.ts'
import { CopiesPane } from './copies-pane.tsx'
import { MatrixPane, usePairView } from './matrix-pane.tsx'
import { PairPane } from './pair-pane.tsx'
import { linesToType, type Pair, pairsOf } from './pairs.ts'
import './copy.css'
import { LineToType } from '../../components/line-to-type.tsx'
import { Nothing, Pane } from '../../components/pane.tsx'
import type { CrossTrade } from '../../console-state.ts'
import { showTime } from '../../figures.ts'
import { StopCopying } from './copy-actions.tsx'

const NONE: readonly Pair[] = []

export function CopyPage() {
  const engine = useDesk((state) => state.crossTrade)
  const view = usePairView()
  const pairs = engine === undefined ? NONE : pairsOf(engine)
  const isOpen = view.open !== undefined || view.adding !== undefined
  return (
    <div className="page page-copy" data-open={isOpen}>
      <EnginePane engine={engine} />
      <MatrixPane engine={engine} pairs={pairs} view={view} />
      {isOpen && <PairPane key={view.open ?? JSON.stringify(view.adding)} engine={engine} pairs={pairs} view={view} />}
      <CopiesPane engine={engine} pairs={pairs} />
    </div>
  )
}

// Whether hookline's own engine copies, since when, and what only the hookline terminal may do about it.

export function EnginePane({ engine }: { readonly engine: CrossTrade | undefined }) {
  return (
    <Pane id="cross-trade" of="state:cross-trade" title="Cross-trade" actions={engine?.running && <StopCopying />}>
      {engine === undefined ? <Nothing what="The engine and its rows" rows={1} /> : <Engine engine={engine} />}
    </Pane>
  )
}

function Engine({ engine }: { readonly engine: CrossTrade }) {
  const { running, configs, leading = 0 } = engine
  const lines = linesToType(engine)
  return (
    <>
      <p className="cluster engine-line">
        <span className={`tag ${running ? 'good' : 'off'}`}>{running ? 'engine on' : 'engine off'}</span>
        <span className="muted">{running ? whichOne(engine) : idleWords(configs.length)}</span>
      </p>
      {running && leading > 0 && (
        <p className="warning" role="note">
          <b>One engine at a time.</b>{' '}
          {leading === 1 ? 'A web page says that it leads' : `${leading} web pages say that they lead`} cross-trading
          too, and each copy may be made twice: stop copying here, or there.
        </p>
      )}
      {lines.map(({ line, says }) => (
        <LineToType key={says} line={line} says={says} />
      ))}
    </>
  )
}

function whichOne({ pid, startedAt }: CrossTrade): string {
  const since = startedAt === undefined ? '' : `, since ${showTime(startedAt, Date.now())}`
  return `pid ${pid ?? 'unknown'}${since}`
}

function idleWords(rows: number): string {
  return rows === 0 ? 'There is nothing to copy by yet.' : 'Nothing is copied. What copiers hold stays.'
}
