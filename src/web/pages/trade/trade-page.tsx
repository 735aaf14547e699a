// Trade: positions and orders of the account, and the work that is under way.
import { PortfolioPane } from '../portfolio/portfolio-pane.tsx'
import { FirstTrade } from './first-trade.tsx'
import { TasksPane } from './tasks-pane.tsx'

export function TradePage() {
  return (
    <div className="page page-trade">
      <FirstTrade />
      <PortfolioPane />
      <TasksPane />
    </div>
  )
}
