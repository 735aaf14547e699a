// Takes one resting order back, once somebody has been told what that takes away.
import type { Portfolio } from '../../../protocol/frames.ts'
import { useConfirm } from '../../components/dialog.tsx'
import { isLive, whyNoCommands } from '../../console-state.ts'
import { LinePreview, UNTYPABLE } from '../../preview/preview.tsx'
import { useConsole, useDesk } from '../../use-console.ts'
import { cancelWarning } from './cancel-warning.ts'
import { useHeld } from './holdings-context.ts'
import { cancelLine } from './position-lines.ts'

type Order = Portfolio['orders'][number]

const NOTHING = { positions: [], orders: [] }

export function CancelButton({ order }: { readonly order: Order }) {
  const console = useConsole()
  const confirm = useConfirm()
  const { portfolio, scope, steps } = useHeld()
  const isConnected = useDesk(isLive)
  const noCommands = useDesk(whyNoCommands)
  const { id, symbol, type, side, triggerPrice, price = triggerPrice } = order
  const at = price === undefined ? '' : ` at ${steps.price(symbol, triggerPrice ?? price)}`
  const line = cancelLine(id)
  const described = `${type} ${side} ${steps.amount(symbol, order.amount)} ${symbol}${at}`
  const warning = cancelWarning(order, portfolio ?? NOTHING)
  const cancel = async () => {
    const isSure = await confirm({
      title: 'Cancel this order?',
      body: (
        <>
          <p>{described}</p>
          {warning && <p>{warning}</p>}
          <LinePreview line={line} scope={scope} />
        </>
      ),
      yes: 'Cancel the order',
      no: 'Keep it',
      isDestructive: true,
    })
    // On the account that the question was about, wherever the focus is by now.
    if (isSure) await console.runFromPanel(line, scope)
  }
  return (
    <button
      type="button"
      className="button small"
      disabled={!isConnected || noCommands !== undefined || line === undefined}
      title={noCommands ?? line ?? UNTYPABLE}
      aria-label={`Cancel order ${id}: ${described}`}
      onClick={() => void cancel()}
    >
      Cancel
    </button>
  )
}
