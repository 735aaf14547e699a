// A line that only a person at the hookline terminal may run: shown, to be copied.
import { CopyButton } from './copy-button.tsx'

interface LineToTypeProps {
  /** undefined: it cannot be typed, and is not shown. */
  readonly line: string | undefined
  readonly says: string
}

export function LineToType({ line, says }: LineToTypeProps) {
  if (line === undefined) return null
  return (
    <p className="row line-to-type">
      <span className="muted">{says}</span>
      <code>{line}</code>
      <CopyButton text={line} name={`Copy ${line}`} />
    </p>
  )
}
