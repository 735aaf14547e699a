// The orders of a run and what became of each, as far as it is known.
import type { RunOrderRow } from '../../../protocol/frames.ts'
import { StateBadge } from '../../components/badge.tsx'
import { showFigure } from '../../figures.ts'

export function RunOrders({ orders }: { readonly orders: readonly RunOrderRow[] }) {
  const unknown = orders.filter(({ state }) => state === 'unknown').length
  return (
    <section className="run-orders" aria-labelledby="run-orders">
      <h4 id="run-orders">Its orders</h4>
      {unknown > 0 && (
        <p className="warning" role="note">
          {unknown === 1 ? 'One order has' : `${unknown} orders have`} no known fate: it may be live. hookline asks by
          its id and never sends it twice.
        </p>
      )}
      <ul>
        {orders.map((order) => (
          <OrderRow key={order.clientOrderId} {...order} />
        ))}
      </ul>
    </section>
  )
}

function OrderRow({
  orderId,
  clientOrderId,
  symbol,
  side,
  type,
  amount,
  filled,
  average,
  reason,
  state,
  ...rest
}: RunOrderRow) {
  const price = average ?? rest.price ?? rest.triggerPrice
  return (
    <li>
      <span className={side === 'buy' ? 'long' : 'short'}>
        {side === 'buy' ? '▲' : '▼'} {side}
      </span>
      <b>{symbol}</b>
      <span className="muted">{type}</span>
      <span className="figure">{showFigure(amount)}</span>
      <span className="figure">{price === undefined ? 'market' : showFigure(price)}</span>
      <StateBadge state={state} />
      <code className="muted cut" title={clientOrderId}>
        {orderId ?? clientOrderId}
      </code>
      <span className="muted">{reason ?? (/[1-9]/.test(filled) ? `${showFigure(filled)} filled` : '')}</span>
    </li>
  )
}
