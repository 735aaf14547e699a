// Portfolio: what the account is worth, and what it holds.
import { PortfolioPane } from './portfolio-pane.tsx'

export function PortfolioPage() {
  return (
    <div className="page page-hooks">
      <PortfolioPane />
    </div>
  )
}
