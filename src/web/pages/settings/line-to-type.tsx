// A line that only a person at the hookline terminal may run: shown, to be copied.
import { CopyButton } from '../../components/copy-button.tsx'

export function LineToType({ line, says }: { readonly line: string; readonly says: string }) {
  return (
    <p className="line-to-type">
      <span className="muted">{says}</span>
      <code>{line}</code>
      <CopyButton text={line} name={`Copy ${line}`} />
    </p>
  )
}
