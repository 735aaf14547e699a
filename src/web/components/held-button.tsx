// A button that is held until a bar has filled, against slips. Leaving it, or Escape, cancels. A short press by mouse or key, or a screen
// reader, gets a question instead.
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useMedia } from '../state/use-console.ts'
import { type Question, useConfirm } from './dialog.tsx'

const HOLD_MS = 800

interface HeldButtonProps {
  readonly className?: string
  readonly label?: string
  readonly title?: string | undefined
  readonly disabled?: boolean
  /** Asked where it is not held. */
  readonly question: Question
  readonly onHeld: () => void
  /** A yes to the question. Default: `onHeld`. */
  readonly onYes?: () => void
  readonly children: ReactNode
}

export function HeldButton({
  className = 'button',
  label,
  title,
  disabled,
  question,
  onHeld,
  onYes = onHeld,
  children,
}: HeldButtonProps) {
  const hold = useHold(onHeld)
  const confirm = useConfirm()
  /** The press that ends now was a short one. */
  const wasShort = useRef(false)
  const isStill = useMedia('(prefers-reduced-motion: reduce)')
  const ask = async () => {
    if (await confirm(question)) onYes()
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && hold.isHolding) {
      event.stopPropagation()
      event.preventDefault()
      hold.stop()
      return
    }
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    if (!event.repeat) hold.start()
  }
  const onKeyUp = (event: KeyboardEvent) => {
    if ((event.key === 'Enter' || event.key === ' ') && hold.stop()) void ask()
  }
  return (
    <button
      type="button"
      className={`${className} held`}
      aria-label={label}
      title={title}
      disabled={disabled}
      data-holding={hold.isHolding}
      onPointerDown={(event) => event.button === 0 && hold.start()}
      onPointerUp={() => {
        wasShort.current = hold.stop()
      }}
      onPointerLeave={hold.stop}
      onPointerCancel={hold.stop}
      onBlur={hold.stop}
      onKeyDown={onKey}
      onKeyUp={onKeyUp}
      onClick={(event) => {
        // Neither mouse nor key: an assistive technology pressed it.
        if (event.detail === 0 || wasShort.current) void ask()
        wasShort.current = false
      }}
    >
      <span>{hold.isHolding && isStill ? 'Keep holding' : children}</span>
    </button>
  )
}

interface Hold {
  readonly isHolding: boolean
  start(): void
  /** @returns whether it was being held */
  stop(): boolean
}

function useHold(onHeld: () => void): Hold {
  const [isHolding, setHolding] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const stop = () => {
    const wasHeld = timer.current !== undefined
    clearTimeout(timer.current)
    timer.current = undefined
    setHolding(false)
    return wasHeld
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return {
    isHolding,
    start() {
      if (timer.current !== undefined) return
      setHolding(true)
      timer.current = setTimeout(() => {
        stop()
        onHeld()
      }, HOLD_MS)
    },
    stop,
  }
}
