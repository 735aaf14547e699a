// A stand-in under the venue's own names, for one test; where the machine gives no such names the test is skipped and says why.
import { onTestFinished, type TestContext } from 'vitest'
import { type VenueCertificate, venueCertificate } from '../network/venue-names.ts'

export async function stageVenue<Venue extends { close(): Promise<void> }>(
  { skip }: Pick<TestContext, 'skip'>,
  start: (tls: VenueCertificate) => Promise<Venue>,
): Promise<Venue> {
  const certificate = venueCertificate()
  if ('missing' in certificate) return skip(`no hosts of the venues' names: ${certificate.missing}`)
  const venue = await start(certificate)
  onTestFinished(() => venue.close())
  return venue
}
