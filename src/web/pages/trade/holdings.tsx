// Under chart and book: what the account holds, what filled, what ran, what is under way. The tab is kept in the address.
import { useLocation, useSearch } from 'wouter'
import { Pane } from '../../components/pane.tsx'
import { type Tab, Tabs } from '../../components/tabs.tsx'
import { useDesk } from '../../use-console.ts'
import { PortfolioPane } from '../portfolio/portfolio-pane.tsx'
import { FillsTable } from './fills-table.tsx'
import { RunsTable } from './runs-table.tsx'
import { TasksPane } from './tasks-pane.tsx'
import { useFills } from './use-fills.ts'

const TABS = ['positions', 'fills', 'runs', 'tasks'] as const
type TabId = (typeof TABS)[number]

export default function Holdings() {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const running = useDesk(({ tasks }) => tasks?.filter(({ status }) => status === 'running').length)
  const fills = useFills()?.length
  const asked = new URLSearchParams(search).get('tab')
  const shown = TABS.find((tab) => tab === asked) ?? 'positions'
  const show = (tab: TabId) => {
    const query = new URLSearchParams(search)
    query.set('tab', tab)
    navigate(`${path}?${query}`, { replace: true })
  }
  const tabs: readonly Tab<TabId>[] = [
    { id: 'positions', title: 'Positions and orders' },
    { id: 'fills', title: 'Fills', count: fills },
    { id: 'runs', title: 'Runs' },
    { id: 'tasks', title: 'Tasks', count: running },
  ]
  return (
    <div className="holdings">
      <Tabs label="What the account holds and does" tabs={tabs} shown={shown} onShow={show} />
      <div className="holdings-body" role="tabpanel" id={`tabpanel-${shown}`} aria-labelledby={`tab-${shown}`}>
        {shown === 'positions' && <PortfolioPane />}
        {shown === 'tasks' && <TasksPane />}
        {shown === 'fills' && (
          <Pane id="fills" title="Fills">
            <FillsTable />
          </Pane>
        )}
        {shown === 'runs' && (
          <Pane id="runs" title="Runs">
            <RunsTable />
          </Pane>
        )}
      </div>
    </div>
  )
}
