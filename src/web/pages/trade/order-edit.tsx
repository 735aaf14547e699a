// A resting order, changed in place: its prices and its amount as fields, the line that they write, and what the line would bring.
import { useState } from 'react'
import { useConfirm, useRefusedYes } from '../../components/dialog.tsx'
import { LinePreview } from '../../preview/preview.tsx'
import { whyNoCommands } from '../../state/console-state.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'
import { useHeld } from './holdings-context.ts'
import { amendLine, type Order, type OrderTerms, termsOf } from './position-lines.ts'

/** Asks for the change, and runs its line after a yes. */
export function useOrderEdit(): (order: Order, isByClick: boolean) => Promise<void> {
  const console = useConsole()
  const confirm = useConfirm()
  const { scope } = useHeld()
  return async (order, isByClick) => {
    let line: string | undefined
    const isSure = await confirm({
      title: `Edit order ${order.id}: ${order.type} ${order.side} in ${order.symbol}`,
      body: <OrderFields order={order} scope={scope} onLine={(written) => (line = written)} />,
      yes: 'Run the line',
      no: 'Leave it',
      isYesFirst: isByClick,
    })
    if (isSure && line !== undefined) await console.runFromPanel(line, scope)
  }
}

const TITLES: Readonly<Record<keyof OrderTerms, string>> = {
  at: 'Price',
  limit: 'Limit',
  stop: 'Stop',
  tp: 'Target',
  amount: 'Amount',
}
const FIELDS = Object.keys(TITLES) as (keyof OrderTerms)[]

interface OrderFieldsProps {
  readonly order: Order
  readonly scope: { readonly account: string; readonly symbol: string }
  readonly onLine: (line: string | undefined) => void
}

function OrderFields({ order, scope, onLine }: OrderFieldsProps) {
  const [terms, setTerms] = useState(() => termsOf(order))
  const line = amendLine(order, terms)
  useRefusedYes(line === undefined)
  const edit = (change: OrderTerms) => {
    const next = { ...terms, ...change }
    setTerms(next)
    onLine(amendLine(order, next))
  }
  return (
    <>
      <div className="gap-3 row form">
        {FIELDS.filter((field) => terms[field] !== undefined).map((field) => (
          <label key={field} className="fill">
            <span>{field === 'at' && order.triggerPrice !== undefined ? 'Trigger' : TITLES[field]}</span>
            <input
              className="numeric"
              autoComplete="off"
              spellCheck={false}
              value={terms[field]}
              onChange={({ target }) => edit({ [field]: target.value })}
            />
          </label>
        ))}
      </div>
      {line === undefined ? (
        <p className="muted">Type another price or amount: a price may be a distance, such as -0.5%.</p>
      ) : (
        <LinePreview line={line} scope={scope} />
      )}
    </>
  )
}

export function EditButton({ order }: { readonly order: Order }) {
  const edit = useOrderEdit()
  const noCommands = useDesk(whyNoCommands)
  const { id, type, side, symbol } = order
  return (
    <button
      type="button"
      className="button small"
      disabled={noCommands !== undefined}
      title={noCommands ?? 'Change its price or its amount'}
      aria-label={`Edit order ${id}: ${type} ${side} in ${symbol}`}
      onClick={({ detail }) => void edit(order, detail > 0)}
    >
      Edit
    </button>
  )
}
