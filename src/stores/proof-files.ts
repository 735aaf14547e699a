// `proofs/<account>-<time>.json` and `.recording.jsonl`: what the contract found on a demo account, and what went over the wire for it. Written
// once, for the user to read and to share; hookline never reads them again.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { requireAccountName } from './accounts.ts'
import { replaceWhole } from './atomic-write.ts'
import { writeFailure } from './store-error.ts'

export interface ProofFiles {
  record(row: unknown): void
  /** @returns the paths: the report, the recording @throws {StoreError} `store-write-failed` */
  write(report: unknown): Promise<readonly string[]>
}

/** Of more, the newest are kept. */
const MOST_ROWS = 20_000

/** @param at ms since the epoch @throws {StoreError} `invalid-value` for a name that cannot be an account's */
export function openProofFiles(directory: string, accountName: string, at: number): ProofFiles {
  requireAccountName(accountName)
  const folder = join(directory, 'proofs')
  const time = new Date(at).toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-')
  const base = join(folder, `${accountName}-${time}`)
  const rows: string[] = []
  return {
    record(row) {
      rows.push(JSON.stringify(row))
      if (rows.length > MOST_ROWS) rows.shift()
    },
    async write(report) {
      const files = [
        [`${base}.json`, `${JSON.stringify(report, undefined, 2)}\n`],
        [`${base}.recording.jsonl`, rows.map((row) => `${row}\n`).join('')],
      ] as const
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
      } catch (error) {
        throw writeFailure(`${base}.json`, error)
      }
      for (const [path, text] of files) await replaceWhole(path, text)
      return files.map(([path]) => path)
    },
  }
}
