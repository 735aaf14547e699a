// Who has the other end of a connection, by the kernel's tables (behaviour 11).
import { endianness } from 'node:os'
import { describe, expect, it } from 'vitest'
import { judge, ownerOf, ownerOfServer } from '../../../src/trust/peer-user.ts'

const OURS = { address: '127.0.0.1', port: 53_219 }
const PEER = { address: '127.0.0.1', port: 50_000 }
const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'
const [US, THEM] = ['0100007F:CFE3', '0100007F:C350']
const MAPPED = '0000000000000000FFFF0000'

function row(local: string, remote: string, { state = '01', uid = 1_000, inode = 4_711 } = {}): string {
  return `   7: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0000000094e9cfa1 20 4 30 10 -1\n`
}
const listening = row(US, '00000000:0000', { state: '0A' })
const ownSide = row(US, THEM)

// The addresses above are as a processor writes them that puts the least byte first.
describe.runIf(endianness() === 'LE')('the owner of the other end', () => {
  it.each([
    ['is the user of its row', [listening, ownSide, row(THEM, US, { uid: 1_001 })], 1_001],
    ['is that of a socket of IPv6 as well', [ownSide, row(MAPPED + THEM, MAPPED + US, { uid: 1_002 })], 1_002],
    ['is not the owner of our side', [ownSide, row(THEM, US, { uid: 65_534 })], 65_534],
    ['is not the owner of another connection', [row('0100007F:C351', US), row(THEM, US, { uid: 0 })], 0],
    [
      'is nobody any more once it is closed',
      [listening, ownSide, row(THEM, US, { state: '05', uid: 0, inode: 0 })],
      'gone',
    ],
    ['is nobody any more when both ends are gone', [listening], 'gone'],
    [
      'is nobody any more when it is gone and ours has not noticed its end',
      [listening, row(US, THEM, { state: '08' })],
      'gone',
    ],
    ['is not known where its row is not', [listening, ownSide], 'unknown'],
    [
      'is not known from the tables of another network',
      [row('0100007F:0050', '00000000:0000', { state: '0A' })],
      'unknown',
    ],
    ['is not known from nothing', [], 'unknown'],
  ])('%s', (_what, rows, owner) => {
    expect(ownerOf(HEAD + rows.join(''), OURS, PEER)).toBe(owner)
  })

  it.each([
    ['::1', '00000000000000000000000001000000'],
    ['2001:db8::12:3', 'B80D01200000000000000000' + '03001200'],
    ['fe80::1%eth0', '000080FE000000000000000001000000'],
    ['::ffff:127.0.0.1', `${MAPPED}0100007F`],
  ])('is found at %s', (address, written) => {
    const [ours, theirs] = [`${written}:CFE3`, `${written}:C350`]
    const ends = [
      { address, port: OURS.port },
      { address, port: PEER.port },
    ] as const
    const [listens, side] = [row(ours, `${'0'.repeat(32)}:0000`, { state: '0A' }), row(ours, theirs)]
    expect(ownerOf(HEAD + side + row(theirs, ours, { uid: 1_003 }), ...ends)).toBe(1_003)
    expect(ownerOf(HEAD + listens + side + row(theirs, ours, { state: '05', uid: 0, inode: 0 }), ...ends)).toBe('gone')
    expect(ownerOf(HEAD + listens, ...ends)).toBe('gone')
    expect(ownerOf(HEAD + listens + side, ...ends)).toBe('unknown')
  })

  it('is not read from a row that is cut', () => {
    const cut = row(THEM, US, { uid: 1_001 }).slice(0, 80)
    expect(ownerOf(HEAD + listening + ownSide + cut, OURS, PEER)).toBe('unknown')
  })

  it('is found by an address of this machine other than 127.0.0.1', () => {
    expect(ownerOf(HEAD + row('0500007F:C350', US), OURS, { ...PEER, address: '127.0.0.5' })).toBe(1_000)
  })
})

// As above.
describe.runIf(endianness() === 'LE')('the owner of a server', () => {
  const SERVER = { address: '127.0.0.1', port: 53_220 }
  const PORT = 'CFE4'
  const NONE_6 = '0'.repeat(32)
  const server = (address: string, uid: number, state = '0A') =>
    row(`${address}:${PORT}`, address.length > 8 ? `${NONE_6}:0000` : '00000000:0000', { state, uid })

  it.each([
    ['is the user of the socket that listens', [server('0100007F', 1_001)], 1_001],
    ['is that of a socket of IPv6 as well', [server(`${MAPPED}0100007F`, 1_002)], 1_002],
    ['is that of a socket for every address, where there is no other', [server('00000000', 1_003)], 1_003],
    ['is that of a socket for every address of IPv6 too', [server(NONE_6, 1_004)], 1_004],
    ['is that of the exact address, which gets the connection', [server(NONE_6, 7), server('0100007F', 1_001)], 1_001],
    ['is not that of a connection', [server('0100007F', 7, '01')], 'unknown'],
    ['is not that of another port', [row('0100007F:0050', '00000000:0000', { state: '0A', uid: 7 })], 'unknown'],
    ['is not that of another address', [server('0200007F', 7)], 'unknown'],
    ['is not known from nothing', [], 'unknown'],
  ])('%s', (_what, rows, owner) => {
    expect(ownerOfServer(HEAD + rows.join(''), SERVER)).toBe(owner)
  })

  it.each([
    ['of the exact address', `${'0'.repeat(24)}01000000`],
    ['for every address', NONE_6],
  ])('at [::1] is that of a socket %s', (_what, address) => {
    expect(ownerOfServer(HEAD + server(address, 1_001), { ...SERVER, address: '::1' })).toBe(1_001)
    expect(ownerOfServer(HEAD + server('00000000', 7), { ...SERVER, address: '::1' })).toBe('unknown')
  })
})

describe('a caller', () => {
  it.each([
    ['of our own user', 1_000, true],
    ['who is root', 0, true],
    ['of another user', 1_001, false],
    ['who is nobody', 65_534, false],
    ['who has gone', 'gone', false],
    ['whose user the system does not tell', 'unknown', 'unknown'],
  ] as const)('%s: %s is judged %s', (_who, owner, ok) => {
    expect(judge(owner, 1_000).ok).toBe(ok)
  })
})
