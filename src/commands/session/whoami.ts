// `whoami`: who is signed in, from the file alone; the provider is not asked.
import { printable } from '../../language/printable.ts'
import { showTime } from '../../trading/figures.ts'
import type { SingleCommand } from '../kit/command.ts'
import { renderTable, signInData, untilWhen, whoIs } from '../kit/lines.ts'
import { refuseMoreThan } from '../kit/read-arguments.ts'

export const whoami: SingleCommand<'signIn'> = {
  name: 'whoami',
  group: 'session',
  usage: '',
  summary: 'who is signed in, at which provider, and until when',
  where: 'trusted',
  rows: true,
  immediate: true,
  examples: [{ line: 'whoami', says: 'the verified email, the issuer, and when the token is renewed' }],
  run({ ports, out, clock }, args) {
    refuseMoreThan(0, args)
    const row = ports.signIn.read()
    const now = clock.now()
    if (row === undefined) return out.info('nobody is signed in; `login` does it', signInData(row, now))
    const rows = [
      ['signed in', whoIs(row)],
      ['issuer', printable(row.issuer, 200)],
      ['client', printable(row.clientId, 100)],
      ['subject', printable(row.subject, 100)],
      ['since', `${showTime(row.signedInAt)} UTC`],
      ['state', untilWhen(row, now)],
      ['tokens', `in the ${row.keys.from}`],
    ]
    out.print(renderTable([{ title: '' }, { title: '' }], rows), signInData(row, now))
  },
}
