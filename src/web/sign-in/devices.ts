// The browsers and machines of the person who is signed in, as the console's server knows them.
import { type Devices, devices } from '../../protocol/web-api.ts'

/** @returns undefined: it does not answer, or not so */
export async function readDevices(): Promise<Devices | undefined> {
  try {
    const response = await fetch('/api/devices', { headers: { Accept: 'application/json' } })
    const parsed = devices.safeParse(await response.json())
    return response.ok && parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

/** @returns whether it is gone */
export async function removeDevice(id: string): Promise<boolean> {
  const response = await fetch(`/api/devices/${id}`, { method: 'DELETE' }).catch(() => undefined)
  return response?.status === 204 || response?.status === 404
}

/** @returns whether this browser is signed out */
export async function signOut(): Promise<boolean> {
  const response = await fetch('/auth/sign-out', { method: 'POST' }).catch(() => undefined)
  return response?.status === 204 || response?.status === 401
}
