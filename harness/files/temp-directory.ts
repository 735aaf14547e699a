import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, onTestFinished } from 'vitest'

/** Registers what ends something once its time is up: `onTestFinished`, `afterAll`. */
export type Lifetime = (end: () => Promise<void>) => void

/** A new empty directory. @param lifetime default: of the test */
export function tempDirectory(lifetime: Lifetime = onTestFinished): string {
  const directory = newDirectory()
  lifetime(() => remove(directory))
  return directory
}

/** A new empty directory for all tests of a file, gone when they are. To be called beside them. */
export function tempDirectoryOfFile(): string {
  const directory = newDirectory()
  afterAll(() => remove(directory))
  return directory
}

function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'hookline-test-'))
}

/** How long a program that was killed, and the console's server that ends after it, may go on writing. */
const LAST_WRITES_MS = 8_000

async function remove(directory: string): Promise<void> {
  const until = Date.now() + LAST_WRITES_MS
  for (;;) {
    try {
      // `maxRetries` tries the last step alone again: what was written in between would stay.
      return await rm(directory, { recursive: true, force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY' || Date.now() > until) throw error
      await delay(50)
    }
  }
}
