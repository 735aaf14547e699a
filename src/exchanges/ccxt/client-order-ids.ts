// Our 32 hexadecimal characters in each venue's own form, and back. Every form holds all 128 bits, so an order found at the venue after a crash
// is known to be ours, and which of ours.

export interface ClientOrderIdForm {
  toVenue(id: string): string
  /** @returns undefined for an id that hookline did not make */
  fromVenue(id: string): string | undefined
}

const OURS = /^[0-9a-f]{32}$/

const whenOurs = (id: string): string | undefined => (OURS.test(id) ? id : undefined)

/** The characters as they are: 32 letters and digits. */
export const PLAIN: ClientOrderIdForm = { toVenue: (id) => id, fromVenue: (id) => whenOurs(id) }

/** 16 bytes as an Ethereum-like number. */
export const HEX: ClientOrderIdForm = {
  toVenue: (id) => `0x${id}`,
  fromVenue: (id) => (id.startsWith('0x') ? whenOurs(id.slice(2).toLowerCase()) : undefined),
}

/** With the dashes of a UUID, whatever the version bits say. */
export const UUID: ClientOrderIdForm = {
  toVenue: (id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  fromVenue: (id) =>
    /^.{8}-.{4}-.{4}-.{4}-.{12}$/.test(id) ? whenOurs(id.replaceAll('-', '').toLowerCase()) : undefined,
}

/** `t-` and 22 characters of base64: where there is room for 28 only. */
export const SHORT: ClientOrderIdForm = {
  toVenue: (id) => `t-${Buffer.from(id, 'hex').toString('base64url')}`,
  fromVenue: (id) => (/^t-[\w-]{22}$/.test(id) ? Buffer.from(id.slice(2), 'base64url').toString('hex') : undefined),
}
