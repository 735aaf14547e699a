// `logout`: the tokens go, here first; then the provider is told.
import type { SingleCommand } from '../kit/command.ts'
import { describeRefusal, isRefusal } from '../kit/errors.ts'
import { hostOf, signInData, whoIs } from '../kit/lines.ts'
import { refuseMoreThan } from '../kit/read-arguments.ts'

export const logout: SingleCommand<'signIn'> = {
  name: 'logout',
  group: 'session',
  usage: '',
  summary: 'end the sign-in: remove its tokens here, and have the provider forget them',
  where: 'trusted',
  underPanic: true,
  examples: [
    { line: 'logout', says: 'pages see no email from then on; hooks, orders and approved clients stay as they are' },
  ],
  async run(context, args) {
    refuseMoreThan(0, args)
    const { ports, out, clock } = context
    const ended = await ports.signIn.logout(context.signal)
    if (ended === undefined) return out.info('nobody is signed in', signInData(undefined, clock.now()))
    const { row, provider } = ended
    await context.audit('logout', { issuer: row.issuer, subject: row.subject })
    out.success(`signed out ${whoIs(row)}`, signInData(undefined, clock.now()))
    const host = hostOf(row.issuer)
    if (provider === 'cannot-be-told') out.info(`${host} cannot be told: the tokens run out there by themselves`)
    if (typeof provider === 'string') return
    const { error } = provider
    if (!isRefusal(error)) throw error
    out.warn(`${host} was not told: ${describeRefusal(error)}; end the session there`)
  },
}
