// Whether hookline's own engine copies, since when, and what only the hookline terminal may do about it.
import { Nothing, Pane } from '../../components/pane.tsx'
import type { CrossTrade } from '../../console-state.ts'
import { showTime } from '../../figures.ts'
import { LineToType } from '../settings/line-to-type.tsx'
import { StopCopying } from './copy-actions.tsx'
import { linesToType } from './copy-lines.ts'

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
      <p className="engine-line">
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
