// `cross-trade-state.jsonl`: what the copier must know after a crash. An intent is on the disk before its order leaves.
import { type DurableJournal, openDurableJournal } from '../stores/durable-journal.ts'

/** The file of the engine's state; a new one begins with what the old one adds up to. */
export function openCopierFile(path: string, maxBytes?: number): DurableJournal {
  return openDurableJournal({ path, carryOver: (lines) => lines, ...(maxBytes === undefined ? {} : { maxBytes }) })
}
