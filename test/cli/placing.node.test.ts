// Several orders of one line by the built program, each command in a process of its own: what one placed the next one moves and takes back.
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { run } from '../../harness/process/hookline.ts'

type Row = Readonly<Record<string, unknown>> & { readonly type: string }

async function exec(
  directory: string,
  line: string,
): Promise<{ readonly rows: readonly Row[]; readonly code: number | null }> {
  const { stdout, code } = await run(directory, ['exec', line, '--json'])
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((row) => JSON.parse(row) as Row)
  return { rows, code }
}

const ofType = (rows: readonly Row[], type: string) => rows.filter((row) => row.type === type)

interface Resting {
  readonly id: string
  readonly price: string
}

async function resting(directory: string): Promise<readonly Resting[]> {
  const { rows } = await exec(directory, 'orders')
  return (ofType(rows, 'orders')[0]?.orders ?? []) as readonly Resting[]
}

describe('hookline exec', () => {
  it('scales into the market, bumps what rests, swarms, and nukes with --yes alone', async () => {
    const directory = tempDirectory()
    const scaled = await exec(directory, 'scale buy 0.01 BTCUSDT into 5 from -5% to -10%')
    expect(scaled.code).toBe(0)
    expect(ofType(scaled.rows, 'sliced')).toMatchObject([{ command: 'scale', slices: 5, amount: '0.01' }])
    const placed = await resting(directory)
    expect(placed).toHaveLength(5)

    expect(ofType((await exec(directory, 'bump -10')).rows, 'amended')).toHaveLength(5)
    const lower = placed.map(({ id, price }) => ({ id, price: (Number(price) - 10).toFixed(1).replace(/\.0$/, '') }))
    expect(await resting(directory)).toMatchObject(lower)
    const [first] = placed
    expect((await exec(directory, `move ${first?.id} to 5000 --far`)).code).toBe(0)
    expect((await resting(directory))[0]).toMatchObject({ id: first?.id, price: '5000' })

    const swarm = await exec(directory, 'swarm buy 0.01 BTCUSDT into 3 irregular')
    expect(ofType(swarm.rows, 'sliced')).toMatchObject([{ command: 'swarm', slices: 3, amount: '0.01' }])

    const refused = await exec(directory, 'nuke')
    expect([refused.code, ofType(refused.rows, 'error')[0]?.code]).toEqual([1, 'needs-yes'])
    expect(await resting(directory)).toHaveLength(5)
    expect((await exec(directory, 'nuke --yes')).code).toBe(0)
    expect(await resting(directory)).toEqual([])
    expect(ofType((await exec(directory, 'positions')).rows, 'positions')).toMatchObject([{ positions: [] }])
  })
})
