// Requests go to addresses of the venue as it is now, whatever was let through before.
import { expect, it } from 'vitest'
import { requireVenueAddress } from '../../../src/exchanges/ccxt/client-lifetime.ts'

it('an address that was the venue’s is none after a change of environment, nor for another client', () => {
  const client = { urls: { api: { rest: 'https://{hostname}/v1' } as unknown }, hostname: 'api.venue.example' }
  const url = 'https://api.venue.example/v1/order'
  for (let time = 0; time < 2; time += 1) expect(() => requireVenueAddress(client, url)).not.toThrow()
  client.hostname = 'api.other.example'
  expect(() => requireVenueAddress(client, url)).toThrow('does not belong to the venue')
  client.hostname = 'api.venue.example'
  client.urls.api = { rest: 'https://demo.venue-demo.example/v1' }
  expect(() => requireVenueAddress(client, url)).toThrow('does not belong to the venue')
  expect(() => requireVenueAddress({ ...client, urls: { api: 'https://else.example' } }, url)).toThrow()
})

it('another scheme of an address that was let through is looked at by itself', () => {
  const client = { urls: { api: { rest: 'https://api.venue.example' } } }
  requireVenueAddress(client, 'https://api.venue.example/time')
  expect(() => requireVenueAddress(client, 'http://api.venue.example/time')).toThrow()
  expect(() => requireVenueAddress(client, 'https://api.venue.example.evil.example/time')).toThrow()
})
