// Cross-trading: whether hookline's own engine runs, and the rows it copies by.
import type { CopierStateRow, CrossTradeConfig } from '../../../protocol/frames.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { Nothing, Pane } from '../../components/pane.tsx'
import type { CrossTrade } from '../../console-state.ts'
import { showFigure, showTime } from '../../figures.ts'
import { useDesk } from '../../use-console.ts'
import { LineToType } from '../settings/line-to-type.tsx'
import { StopCopying, TurnRowOff } from './copy-actions.tsx'
import { linesToType } from './copy-lines.ts'

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

export function CrossTradePane() {
  const crossTrade = useDesk((state) => state.crossTrade)
  return (
    <Pane
      id="cross-trade"
      title="Cross-trade"
      aside={crossTrade && <Engine engine={crossTrade} />}
      actions={crossTrade?.running && <StopCopying />}
    >
      {crossTrade === undefined && <Nothing what="Cross-trade rows" rows={2} />}
      {crossTrade && <DualEngineWarning engine={crossTrade} />}
      {crossTrade?.configs.length === 0 && (
        <>
          <Empty title="Nobody copies">
            Each row copies one account’s trades to others. Rows are made in the hookline terminal.
          </Empty>
          <LineToType
            line="cross-trade add --master paper --symbol BTCUSDT --copier swing --weight 0.5"
            says="For example:"
          />
        </>
      )}
      {crossTrade !== undefined && crossTrade.configs.length > 0 && (
        <DataTable label="Cross-trade rows" columns={ROWS} rows={crossTrade.configs} keyOf={({ id }) => id} />
      )}
      {crossTrade?.copiers !== undefined && crossTrade.copiers.length > 0 && (
        <DataTable
          label="Copiers"
          columns={copierColumns(crossTrade.configs)}
          rows={crossTrade.copiers}
          keyOf={({ configId, account, symbol }) => `${configId} ${account} ${symbol}`}
        />
      )}
      {crossTrade !== undefined && <AtTheTerminal engine={crossTrade} />}
    </Pane>
  )
}

function AtTheTerminal({ engine }: { readonly engine: CrossTrade }) {
  const lines = linesToType(engine)
  if (lines.length === 0) return null
  return (
    <section className="block" aria-label="To be typed in the hookline terminal">
      <h3>In the hookline terminal</h3>
      {lines.map(({ line, says }) => (
        <LineToType key={line} line={line} says={says} />
      ))}
    </section>
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

function copierColumns(configs: readonly CrossTradeConfig[]): readonly Column<CopierStateRow>[] {
  const masterOf = ({ configId }: CopierStateRow) =>
    configs.find(({ id }) => id === configId)?.masterAccount ?? 'a row that is gone'
  return [
    ...COPIERS,
    {
      id: 'master',
      title: 'Copies',
      cell: masterOf,
      compare: (a, b) => masterOf(a).localeCompare(masterOf(b)),
    },
  ]
}

const COPIERS: readonly Column<CopierStateRow>[] = [
  {
    id: 'copier',
    title: 'Copier',
    isRowHead: true,
    cell: ({ account, symbol }) => (
      <>
        {account}
        <span className="muted"> {symbol}</span>
      </>
    ),
    compare: (a, b) => a.account.localeCompare(b.account),
  },
  { id: 'desired', title: 'Should hold', isFigure: true, cell: ({ desired }) => showFigure(desired) },
  { id: 'owned', title: 'Built', isFigure: true, cell: ({ owned }) => showFigure(owned) },
  {
    id: 'state',
    title: 'State',
    className: 'wraps',
    cell: ({ state, why }) => (
      <>
        <span className={`tag ${STATE_TAGS[state] ?? 'off'}`}>{state.replaceAll('-', ' ')}</span>
        {why !== undefined && <span className="muted"> {why}</span>}
      </>
    ),
    compare: (a, b) => a.state.localeCompare(b.state),
  },
]

const ROWS: readonly Column<CrossTradeConfig>[] = [
  {
    id: 'master',
    title: 'Master',
    isRowHead: true,
    cell: ({ masterAccount, masterSymbol }) => (
      <>
        {masterAccount}
        {masterSymbol && <span className="muted"> {masterSymbol}</span>}
      </>
    ),
    compare: (a, b) => a.masterAccount.localeCompare(b.masterAccount),
  },
  { id: 'weight', title: 'Weight', isFigure: true, cell: ({ masterWeight }) => showFigure(String(masterWeight)) },
  { id: 'copiers', title: 'Copiers', cell: ({ copiers }) => <Copiers copiers={copiers} /> },
  {
    id: 'state',
    title: 'State',
    cell: ({ enabled }) => <span className={`tag ${enabled ? 'good' : 'off'}`}>{enabled ? 'enabled' : 'off'}</span>,
    compare: (a, b) => Number(a.enabled) - Number(b.enabled),
  },
  { id: 'off', title: 'Turn off', isUnseen: true, cell: (row) => <TurnRowOff row={row} /> },
]

function Copiers({ copiers }: Pick<CrossTradeConfig, 'copiers'>) {
  return (
    <ul className="copiers">
      {copiers.map(({ account, symbol, weight, mode }) => (
        <li key={`${account} ${symbol ?? ''}`}>
          {account}
          {symbol && <span className="muted"> {symbol}</span>}{' '}
          <span className="figure">× {showFigure(String(weight))}</span> <span className="muted">{mode}</span>
        </li>
      ))}
    </ul>
  )
}
