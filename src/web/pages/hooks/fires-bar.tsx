// The fires of 24 h as one bar, and in words for who cannot see it.
import { dayWords, type HookDay, PARTS } from './hook-order.ts'

export function FiresBar({ day }: { readonly day: HookDay | undefined }) {
  return (
    <span className="fires-bar" role="img" aria-label={dayWords(day)} title={dayWords(day)}>
      {PARTS.map((part) => (
        <i key={part} className={part} style={{ flexGrow: day?.[part] ?? 0 }} />
      ))}
    </span>
  )
}
