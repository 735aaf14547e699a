// Copies a line and says so in place, without changing its size.
import { useEffect, useState } from 'react'

export function CopyButton({
  text,
  label = 'Copy',
  name,
}: {
  readonly text: string
  readonly label?: string
  readonly name: string
}) {
  const [status, setStatus] = useState<string>()
  useEffect(() => {
    if (status === undefined) return undefined
    const timer = setTimeout(() => setStatus(undefined), 2_000)
    return () => clearTimeout(timer)
  }, [status])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setStatus('Copied'),
      () => setStatus('Blocked'),
    )
  return (
    <button type="button" className="button small copy" aria-label={name} onClick={() => void copy()}>
      <span className="copy-label" data-hidden={status !== undefined}>
        {label}
      </span>
      <span role="status">{status}</span>
    </button>
  )
}

// --- A line that only a person at the hookline terminal may run: shown, to be copied.

interface LineToTypeProps {
  /** undefined: it cannot be typed, and is not shown. */
  readonly line: string | undefined
  readonly says: string
}

export function LineToType({ line, says }: LineToTypeProps) {
  if (line === undefined) return null
  return (
    <p className="cluster line-to-type">
      <span className="muted">{says}</span>
      <code>{line}</code>
      <CopyButton text={line} name={`Copy ${line}`} />
    </p>
  )
}
