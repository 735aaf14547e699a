import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** A new empty directory, gone when the test is. */
export function tempDirectory(): string {
  const directory = newDirectory()
  onTestFinished(() => remove(directory))
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

/** A program that ends may still be writing, and the console's server ends after the one that started it. */
function remove(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
}
