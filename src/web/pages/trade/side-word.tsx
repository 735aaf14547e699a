// A side, told by an arrow and a word, and not by its colour alone.
import { SIDE_TONE } from './side-tone.ts'

export function SideWord({ side }: { readonly side: string }) {
  return <span className={`side ${SIDE_TONE.get(side) ?? ''}`}>{side}</span>
}
