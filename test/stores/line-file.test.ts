import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openLineFile } from '../../src/stores/line-file.ts'

const temporaryPath = (...parts: string[]) => join(tempDirectory(), ...parts, 'lines')
const mode = (path: string) => statSync(path).mode & 0o777

describe('a line file', () => {
  it('makes its directory and itself private', () => {
    const path = temporaryPath('new')
    openLineFile({ path, maxLines: 10 }).append('one')
    expect(mode(path)).toBe(0o600)
    expect(mode(join(path, '..'))).toBe(0o700)
  })

  it('makes a file private that was open to others', () => {
    const path = temporaryPath()
    writeFileSync(path, 'old\n')
    chmodSync(path, 0o644)
    openLineFile({ path, maxLines: 10 }).append('new')
    expect(mode(path)).toBe(0o600)
    expect(readFileSync(path, 'utf8')).toBe('old\nnew\n')
  })

  it('is empty while there is no file', () => {
    expect(openLineFile({ path: temporaryPath(), maxLines: 10 }).read()).toEqual([])
  })

  it('reads the youngest lines', () => {
    const path = temporaryPath()
    writeFileSync(path, '1\n2\n3\n4\n')
    expect(openLineFile({ path, maxLines: 3 }).read()).toEqual(['2', '3', '4'])
  })

  it('trims itself at twice the cap and leaves nothing else behind', () => {
    const path = temporaryPath()
    const file = openLineFile({ path, maxLines: 3 })
    for (let line = 1; line <= 5; line++) file.append(String(line))
    expect(readFileSync(path, 'utf8')).toBe('1\n2\n3\n4\n5\n')
    file.append('6')
    expect(readFileSync(path, 'utf8')).toBe('4\n5\n6\n')
    expect(mode(path)).toBe(0o600)
    expect(readdirSync(join(path, '..'))).toEqual(['lines'])
  })

  it('keeps what another process added when it trims', () => {
    const path = temporaryPath()
    const [one, other] = [openLineFile({ path, maxLines: 3 }), openLineFile({ path, maxLines: 3 })]
    one.append('1')
    other.append('2')
    for (const line of ['3', '4', '5', '6']) one.append(line)
    other.append('7')
    one.append('8')
    expect(readFileSync(path, 'utf8')).toBe('6\n7\n8\n')
  })

  it('does not glue a line to half a line left by a crash', () => {
    const path = temporaryPath()
    writeFileSync(path, 'whole\nhal')
    openLineFile({ path, maxLines: 10 }).append('next')
    expect(readFileSync(path, 'utf8')).toBe('whole\nhal\nnext\n')
  })
})
