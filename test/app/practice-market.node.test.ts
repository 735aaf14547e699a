// The prices that practice accounts invent, over real files.
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openPaper } from '../../src/app/open-account.ts'

function fail(problem: unknown): never {
  throw problem
}

async function open(directory: string, name: string) {
  const exchange = await openPaper({ name, exchange: 'paper', createdAt: 1, updatedAt: 1 }, directory, fail)
  onTestFinished(() => exchange.close())
  return exchange
}

const seedIn = async (directory: string, file: string): Promise<string> =>
  (JSON.parse(await readFile(join(directory, file), 'utf8')) as { seed: string }).seed

describe('the invented market', () => {
  it('is the same for all accounts of a directory, also when they are first opened at once', async () => {
    const directory = tempDirectory()
    await Promise.all(['paper', 'swing', 'third'].map((name) => open(directory, name)))
    const seeds = await Promise.all(['paper', 'swing', 'third'].map((name) => seedIn(directory, `paper-${name}.json`)))
    expect(new Set(seeds)).toEqual(new Set([await seedIn(directory, 'practice-market.json')]))
  })

  it('is another one in another directory', async () => {
    const [one, other] = [tempDirectory(), tempDirectory()]
    await open(one, 'paper')
    await open(other, 'paper')
    expect(await seedIn(one, 'practice-market.json')).not.toBe(await seedIn(other, 'practice-market.json'))
  })

  it('is that of the first account where there was one before, and an account keeps the prices that it had', async () => {
    const directory = tempDirectory()
    await open(directory, 'paper')
    await open(directory, 'swing')
    const hadBefore = async (name: string, seed: string) => {
      const path = join(directory, `paper-${name}.json`)
      const state = JSON.parse(await readFile(path, 'utf8')) as object
      await writeFile(path, JSON.stringify({ ...state, seed }))
    }
    await hadBefore('paper', 'of-old')
    await hadBefore('swing', 'of-its-own')
    await rm(join(directory, 'practice-market.json'))
    await open(directory, 'third')
    await open(directory, 'swing')
    expect(await seedIn(directory, 'paper-third.json')).toBe('of-old')
    expect(await seedIn(directory, 'paper-swing.json')).toBe('of-its-own')
  })
})
