import type { StoreProblem } from './store-error.ts'

/** A file of `name: text` pairs: `vars.json` and `aliases.json`. */
export interface TextMapStore {
  read(): Readonly<Record<string, string>>
  set(name: string, text: string): Promise<void>
  /** @returns whether it was there */
  remove(name: string): Promise<boolean>
  problem(): StoreProblem | undefined
}
