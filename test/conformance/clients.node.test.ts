// The published client and its sibling in Python, against the vectors that anyone can run a client against.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkClient, JS_CLIENT } from '../../conformance/run.mjs'
import { findPython } from '../../harness/process/debian-python.mjs'

const ROOT = join(import.meta.dirname, '../..')
const python = await findPython()
const missing = 'missing' in python ? python.missing : undefined

describe('a client', () => {
  it('of hookline/client does what each vector wants', { concurrent: true }, async () => {
    expect(failed(await checkClient(JS_CLIENT))).toEqual([])
  })

  it.skipIf(missing !== undefined)(
    `in Python does what each vector wants${missing === undefined ? '' : ` (skipped: ${missing})`}`,
    { concurrent: true },
    async () => {
      if ('missing' in python) throw new Error(python.missing)
      const driver = join(ROOT, 'clients/python/conformance_driver.py')
      expect(failed(await checkClient([python.command, driver], python.env))).toEqual([])
    },
  )

  it('that does nothing fails each vector', async () => {
    const results = await checkClient(['/bin/sh', '-c', ':'])
    expect(failed(results)).toHaveLength(results.length)
  })

  it('in Python has less than 400 lines', () => {
    expect(readFileSync(join(ROOT, 'clients/python/hookline.py'), 'utf8').split('\n').length).toBeLessThanOrEqual(400)
  })
})

function failed(results: Awaited<ReturnType<typeof checkClient>>) {
  return results.filter(({ error }) => error !== undefined)
}
