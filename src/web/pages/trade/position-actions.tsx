// What ends a position, or turns it round.
import type { Portfolio } from '../../../protocol/frames.ts'
import { useHeld } from './holdings-context.ts'
import { LineButton } from './line-button.tsx'
import { closeLine, reverseLine } from './position-lines.ts'

const PARTS = [undefined, '50', '25'] as const

export function PositionActions({ position }: { readonly position: Portfolio['positions'][number] }) {
  const { scope } = useHeld()
  const of = `the ${position.side} in ${position.symbol}`
  return (
    <>
      {PARTS.map((percent) => (
        <LineButton
          key={percent ?? 'all'}
          title={percent === undefined ? 'Close' : `${percent} %`}
          name={percent === undefined ? `Close ${of}` : `Close ${percent} % of ${of}`}
          line={closeLine(position, percent)}
          scope={scope}
        />
      ))}
      <LineButton title="Reverse" name={`Reverse ${of}`} line={reverseLine(position)} scope={scope} />
    </>
  )
}
