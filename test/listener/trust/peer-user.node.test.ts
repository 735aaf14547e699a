// What becomes of a caller where the tables of sockets cannot be used (behaviour 11).
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { createPeerJudge, MAX_TABLE_BYTES } from '../../../src/trust/peer-user.ts'

const ENDS = { localAddress: '127.0.0.1', localPort: 53_219, remoteAddress: '127.0.0.1', remotePort: 50_000 }

function tableOf(content: string, length = content.length): string {
  const path = join(tempDirectory(), 'tcp')
  writeFileSync(path, content)
  truncateSync(path, length)
  return path
}

describe.runIf(process.platform === 'linux')('a caller', () => {
  it('is judged by the rest where there is no table', async () => {
    const verdict = await createPeerJudge([join(tempDirectory(), 'tcp')])(ENDS)
    expect(verdict).toEqual({ ok: 'unknown', reason: 'the table of sockets cannot be read (ENOENT)' })
  })

  it('is judged by the rest where the table is of another network', async () => {
    expect((await createPeerJudge([tableOf('  sl  local_address rem_address\n')])(ENDS)).ok).toBe('unknown')
  })

  it('is refused where the table is too large to be read: anyone could make it so', async () => {
    const judge = createPeerJudge([tableOf('', MAX_TABLE_BYTES + 1)])
    expect(await judge(ENDS)).toEqual({ ok: false, reason: 'the table of sockets is too large' })
    expect((await createPeerJudge([tableOf('', MAX_TABLE_BYTES)])(ENDS)).ok).toBe('unknown')
  })

  it('is refused when it has left', async () => {
    expect((await createPeerJudge()({ ...ENDS, remoteAddress: undefined })).ok).toBe(false)
  })
})
