// What there is to trade with: what is free, and the leverage of the symbol.
import { typedLine } from '../../../../language/print.ts'
import type { Preview } from '../../../../protocol/preview.ts'
import { showFigure, showMoney } from '../../../figures.ts'
import { propose } from '../../../shell/desk-store.ts'
import { useTabPortfolio, useTabScope } from '../use-market.ts'

export function Funds({ preview }: { readonly preview: Preview | undefined }) {
  const portfolio = useTabPortfolio()
  const symbol = useTabScope()?.symbol
  const held = portfolio?.positions.find((position) => position.symbol === symbol)
  const leverage = preview?.orders.find(({ margin }) => margin !== undefined)?.margin?.leverage ?? held?.leverage
  // Its place is kept, so that the fields below do not move.
  if (portfolio === undefined || symbol === undefined) return <p className="funds" />
  const { free, currency } = portfolio.balance
  const line = typedLine`leverage ${symbol} `
  return (
    <p className="funds">
      <span>
        <span className="muted">Free </span>
        {showMoney(free)} {currency}
      </span>
      <button
        type="button"
        className="as-other"
        title={`Change it: leverage ${symbol}`}
        disabled={line === undefined}
        onClick={() => line !== undefined && propose(line)}
      >
        {leverage === undefined ? 'Leverage' : `Leverage ${showFigure(leverage)}×`}
      </button>
    </p>
  )
}
