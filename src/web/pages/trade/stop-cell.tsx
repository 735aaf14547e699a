// What protects a position: its stops, or that there is none for all of it. Either writes a line.
import type { Portfolio } from '../../../protocol/frames.ts'
import { Icon } from '../../components/icon.tsx'
import { useHeld } from './holdings-context.ts'
import { LineButton } from './line-button.tsx'
import { moveOrderLine, stopLine } from './position-lines.ts'
import { isThere, protectionOf } from './protection.ts'

export function StopCell({ position }: { readonly position: Portfolio['positions'][number] }) {
  const { portfolio, scope, steps } = useHeld()
  const { symbol, side, amount } = position
  const protection = protectionOf(position, portfolio?.orders ?? [])
  if (protection === undefined) return '–'
  const { stops, uncovered } = protection
  const [first] = stops
  const isBare = isThere(uncovered)
  const of = `the ${side} in ${symbol}`
  const bare = `${steps.amount(symbol, uncovered)} of ${steps.amount(symbol, amount)}`
  const more = stops.length > 1 ? ` +${stops.length - 1}` : ''
  const at = `${steps.price(symbol, first?.triggerPrice ?? '')}${more}`
  return (
    <span className="stop-cell" data-bare={isBare}>
      {first?.triggerPrice !== undefined && (
        <LineButton
          className="link-button"
          title={at}
          name={`Move the stop of ${of}`}
          label={`${at}: move the stop of ${of}`}
          line={moveOrderLine(first.id, first.triggerPrice)}
          scope={scope}
          isDraft
        />
      )}
      {isBare && (
        <LineButton
          className="tag warn no-stop"
          title={
            <>
              <Icon name="warning" size={13} />
              {first === undefined ? 'no stop' : `no stop on ${steps.amount(symbol, uncovered)}`}
            </>
          }
          name={first === undefined ? `No stop: protect ${of}` : `No stop on ${bare}: protect ${of}`}
          line={stopLine(position, protection)}
          scope={scope}
          isDraft
        />
      )}
    </span>
  )
}
