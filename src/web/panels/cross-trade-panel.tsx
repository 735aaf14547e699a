// Cross-trading: whether hookline's own engine runs, and the rows it copies by.
import type { CopierStateRow, CrossTradeConfig } from '../../protocol/frames.ts'
import type { CrossTrade } from '../console-state.ts'
import { type ColumnHead, DataTable } from '../data-table.tsx'
import { showFigure, showTime } from '../figures.ts'
import { Empty, Nothing, Panel } from '../panel.tsx'
import { useConsoleState } from '../use-console.ts'

const COLUMNS: readonly ColumnHead[] = [
  { title: 'Master' },
  { title: 'Weight', isFigure: true },
  { title: 'Copiers' },
  { title: 'State' },
]

const COPIER_COLUMNS: readonly ColumnHead[] = [
  { title: 'Copier' },
  { title: 'Should hold', isFigure: true },
  { title: 'Built', isFigure: true },
  { title: 'State' },
]

/** How a state is meant: those that need a person are `bad`. A later word is shown as it is. */
const STATE_TAGS: Readonly<Record<string, string>> = {
  'in-step': 'good',
  behind: 'busy',
  waiting: 'off',
  unknown: 'busy',
  stale: 'bad',
  blocked: 'bad',
  paused: 'bad',
}

export function CrossTradePanel() {
  const { crossTrade } = useConsoleState()
  return (
    <Panel id="cross-trade" title="Cross-trade" aside={crossTrade && <Engine engine={crossTrade} />}>
      {crossTrade === undefined && <Nothing what="Cross-trade rows" rows={2} />}
      {crossTrade && <DualEngineWarning engine={crossTrade} />}
      {crossTrade?.configs.length === 0 && <Empty>No rows. Each row copies one account’s trades to others.</Empty>}
      {crossTrade !== undefined && crossTrade.configs.length > 0 && (
        <DataTable label="Cross-trade rows" columns={COLUMNS}>
          {crossTrade.configs.map((config) => (
            <Row key={config.id} config={config} />
          ))}
        </DataTable>
      )}
      {crossTrade?.copiers !== undefined && crossTrade.copiers.length > 0 && (
        <DataTable label="Copiers" columns={COPIER_COLUMNS}>
          {crossTrade.copiers.map((copier) => (
            <Copier key={`${copier.configId} ${copier.account} ${copier.symbol}`} copier={copier} />
          ))}
        </DataTable>
      )}
    </Panel>
  )
}

function Engine({ engine }: { readonly engine: CrossTrade }) {
  if (!engine.running) return <span className="tag off">engine off</span>
  const since = engine.startedAt === undefined ? '' : ` since ${showTime(engine.startedAt, Date.now())}`
  return <span className="tag good">{`engine on, pid ${engine.pid ?? 'unknown'}${since}`}</span>
}

/** This page leads no cross-trading; another may, and then everything is copied twice. */
function DualEngineWarning({ engine }: { readonly engine: CrossTrade }) {
  if (!engine.running || !engine.configs.some(({ enabled }) => enabled)) return null
  return (
    <p className="warning" role="note">
      <b>One engine at a time.</b> hookline’s engine trades the enabled rows. If a web page leads cross-trading too,
      each copy is made twice: end one of them.
    </p>
  )
}

function Copier({ copier }: { readonly copier: CopierStateRow }) {
  const { account, symbol, state, desired, owned, why } = copier
  return (
    <tr>
      <th scope="row" className="long">
        {account}
        <span className="muted"> {symbol}</span>
      </th>
      <td className="figure">{showFigure(desired)}</td>
      <td className="figure">{showFigure(owned)}</td>
      <td>
        <span className={`tag ${STATE_TAGS[state] ?? 'off'}`}>{state.replaceAll('-', ' ')}</span>
        {why !== undefined && <span className="muted"> {why}</span>}
      </td>
    </tr>
  )
}

function Row({ config }: { readonly config: CrossTradeConfig }) {
  const { masterAccount, masterSymbol, masterWeight, copiers, enabled } = config
  return (
    <tr>
      <th scope="row" className="long">
        {masterAccount}
        {masterSymbol && <span className="muted"> {masterSymbol}</span>}
      </th>
      <td className="figure">{showFigure(String(masterWeight))}</td>
      <td>
        <ul className="copiers">
          {copiers.map(({ account, symbol, weight, mode }) => (
            <li key={`${account} ${symbol ?? ''}`}>
              {account}
              {symbol && <span className="muted"> {symbol}</span>}{' '}
              <span className="figure">× {showFigure(String(weight))}</span> <span className="muted">{mode}</span>
            </li>
          ))}
        </ul>
      </td>
      <td>
        <span className={`tag ${enabled ? 'good' : 'off'}`}>{enabled ? 'enabled' : 'off'}</span>
      </td>
    </tr>
  )
}
