// What the web server speaks besides files: the command line's check-in, and the settings record that the console reads
// (behaviours 118, 119). The record tells when connecting is worth a try; it never authorises anything.
import * as z from 'zod/mini'

/** Kinds of machine, in the words of `process.platform` (behaviour 118). */
export type Platform = z.infer<typeof platform>
const platform = z.enum(['darwin', 'win32', 'linux'])

const listenerId = z.uuid()
const version = z.string().check(z.regex(/^[0-9A-Za-z.+-]{1,64}$/))
/** Names a device; the console chooses it. */
const deviceKey = z.string().check(z.regex(/^[0-9A-Za-z][0-9A-Za-z._:-]{0,63}$/))

/** Body of `POST /api/cli/checkin`, answered with 204. Unknown fields are ignored: a newer command line may say more. */
export const checkInBody = z.object({ platform, listenerId, version })

/** Body of `DELETE /api/cli/checkin` of a hosted console: this machine is not to be tried any more. */
export const listenerBody = z.object({ listenerId })

/** In `/api/layouts/<name>` of a hosted console. */
export const layoutName = z.string().check(z.regex(/^[a-z][a-z0-9-]{0,31}$/))

/**
 * Answer of `GET` and `PATCH /api/settings`. `at` is ms since the epoch, by the web server's clock. Names and versions may be any text,
 * because people may edit the file. Any program on this machine may ask, so no `listenerId` is told (behaviour 48).
 */
export type WebSettings = z.infer<typeof webSettings>
export const webSettings = z.object({
  cli: z.object({ checkins: z.partialRecord(platform, z.object({ at: z.number(), version: z.string() })) }),
  /** Devices that trust a listener. */
  trustedOn: z.array(z.string()),
  /** The web server's clock, in ms since the epoch: how old a check-in is, is counted by it. */
  now: z.exactOptional(z.number()),
  /** Of a hosted console: who is signed in; the address is empty where the sign-in service has verified none. `id` tells persons apart. */
  account: z.exactOptional(z.object({ email: z.string(), id: z.exactOptional(z.string()) })),
})

/** Answer of `GET /api/devices` of a hosted console. Times are ms since the epoch, by the web server's clock. */
export type Devices = z.infer<typeof devices>
export const devices = z.object({
  browsers: z.array(
    z.object({ id: z.uuid(), label: z.string(), createdAt: z.number(), seenAt: z.number(), isThis: z.boolean() }),
  ),
  machines: z.array(z.object({ id: z.uuid(), platform, version: z.string(), seenAt: z.number() })),
})

/** A page changes its own. */
const MAX_DEVICES_OF_PATCH = 32

/**
 * Body of `PATCH /api/settings`: an id is trusted on that device from now on, `null` forgets (RFC 7396). Nothing else can be set. `account`: who the page
 * was opened by; where another user is signed in by now, nothing is set.
 */
export const settingsPatch = z.strictObject({
  trustedListenerIds: z
    .record(deviceKey, z.nullable(listenerId))
    .check(z.refine((ids) => Object.keys(ids).length <= MAX_DEVICES_OF_PATCH)),
  account: z.exactOptional(z.string()),
})
