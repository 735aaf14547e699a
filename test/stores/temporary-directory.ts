// A directory of one test's own, gone when the test is.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'hookline-stores-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))
  return directory
}
