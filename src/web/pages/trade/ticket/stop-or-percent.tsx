// Whether a stop or a target is said as a distance or as a price: what it means as a price is hookline's own word.
import { useRef } from 'react'
import { editTicket, useTicket } from './ticket-store.ts'

export function StopOrPercent({ of }: { readonly of: 'stop' | 'target' }) {
  const text = useTicket((state) => state[of].trim())
  const price = useTicket(({ preview }) => preview?.orders[0]?.[of === 'stop' ? 'stop' : 'takeProfit']?.triggerPrice)
  /** The distance that the price was made of. */
  const distance = useRef('')
  const isDistance = /^[+\-−]|%$/.test(text)
  const change = () => {
    if (!isDistance) return editTicket({ [of]: distance.current })
    distance.current = text
    return price === undefined ? undefined : editTicket({ [of]: price })
  }
  const name = of === 'stop' ? 'Stop' : 'Target'
  const to = isDistance ? 'a price' : 'a distance'
  return (
    <button
      type="button"
      className="as-other"
      disabled={text === '' || (isDistance ? price === undefined : distance.current === '')}
      aria-label={`${name} ${isDistance ? 'as price' : 'as %'}`}
      title={`Say it as ${to}`}
      onClick={change}
    >
      {isDistance ? 'as price' : 'as %'}
    </button>
  )
}
