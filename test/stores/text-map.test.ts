import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openTextMap } from '../../src/stores/rows.ts'

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

describe('text maps', () => {
  test.each(['vars.json', 'aliases.json'] as const)('keep pairs in %s', async (fileName) => {
    const directory = tempDirectory()
    const map = openTextMap(directory, fileName)
    await map.set('size', '$250')
    await map.set('size', '$300')
    await map.set('note', '')
    expect(readJson(join(directory, fileName))).toEqual({ size: '$300', note: '' })
    await expect(map.remove('size')).resolves.toBe(true)
    await expect(map.remove('size')).resolves.toBe(false)
    expect({ ...map.read() }).toEqual({ note: '' })
  })

  test('know only the names that were set', async () => {
    const directory = tempDirectory()
    const map = openTextMap(directory, 'vars.json')
    const names = ['__proto__', 'constructor', 'toString']
    for (const name of names) expect(map.read()[name]).toBeUndefined()
    for (const name of names) await map.set(name, name)
    for (const name of names) expect(openTextMap(directory, 'vars.json').read()[name]).toBe(name)
    await expect(map.remove('hasOwnProperty')).resolves.toBe(false)
    await expect(map.remove('__proto__')).resolves.toBe(true)
    expect(Object.keys(map.read())).toEqual(['constructor', 'toString'])
  })

  test.each(['[]', '{"a":1}'])('refuse a file that is not pairs of text: %s', async (text) => {
    const directory = tempDirectory()
    writeFileSync(join(directory, 'vars.json'), text)
    const map = openTextMap(directory, 'vars.json')
    expect(Object.keys(map.read())).toEqual([])
    expect(map.problem()).toMatchObject({ line: 1 })
    await expect(map.set('a', 'b')).rejects.toMatchObject({ code: 'store-corrupt' })
  })
})
