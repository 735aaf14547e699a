// The two cookies of a hosted console. Neither can be read by a script, and no other site's request brings them but a plain visit.
import { isSecret } from './secrets.ts'

export interface Cookies {
  /** A browser's session. */
  readonly session: CookieKind
  /** A browser that has left to sign in. */
  readonly departure: CookieKind
}

interface CookieKind {
  /** @param header `Cookie` of a request @returns undefined: there is none, or it cannot be one of ours */
  read(header: string | undefined): string | undefined
  /** @returns a value of `Set-Cookie` */
  set(secret: string, maxAgeSeconds: number): string
  readonly clear: string
}

/** @param isSecure without TLS, as on loopback, there is no `__Host-` prefix */
export function createCookies(isSecure: boolean): Cookies {
  const prefix = isSecure ? '__Host-' : ''
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    session: kind(`${prefix}hookline-session`, attributes),
    departure: kind(`${prefix}hookline-sign-in`, attributes),
  }
}

function kind(name: string, attributes: string): CookieKind {
  return {
    read(header = '') {
      const values = header
        .split(';')
        .map((pair) => pair.trim().split('='))
        .filter(([found, ...rest]) => found === name && rest.length === 1)
        .map(([, value]) => value)
      // Two of one name: one of them was put there by someone else.
      return values.length === 1 && isSecret(values[0]) ? values[0] : undefined
    },
    set: (secret, maxAgeSeconds) => `${name}=${secret}; ${attributes}; Max-Age=${maxAgeSeconds}`,
    clear: `${name}=; ${attributes}; Max-Age=0`,
  }
}
