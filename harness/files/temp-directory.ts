import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A new empty directory, gone when the test is. */
export function tempDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'hookline-test-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}
