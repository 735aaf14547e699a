// The shapes of what commands answer about accounts, their keys and their exchanges.
import { z } from 'zod'
import { decimal, time } from './json-history-schemas.ts'

export const account = z.string()
export const fault = z.strictObject({ code: z.string(), message: z.string() })
export const held = { currency: z.string(), wallet: decimal, total: decimal, used: decimal, free: decimal }

export const ACCOUNT_SHAPES = {
  exchanges: z.strictObject({
    type: z.literal('exchanges'),
    exchanges: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        kinds: z.array(z.enum(['spot', 'linear', 'inverse'])),
        demo: z.boolean(),
        credentials: z.array(z.string()),
        proof: z.enum(['built-in', 'stand-in', 'cases', 'unproven']),
      }),
    ),
  }),
  'account-check': z.strictObject({
    type: z.literal('account-check'),
    account,
    exchange: z.string(),
    latencyMs: z.int(),
    clockDifferenceMs: z.number().optional(),
    currencies: z.int(),
    mayTrade: z.boolean().optional(),
    mayWithdraw: z.boolean().optional(),
    positionMode: z.enum(['one-way', 'hedge']).optional(),
    remarks: z.array(z.string()),
  }),
  'all-balances': z.strictObject({
    type: z.literal('all-balances'),
    accounts: z.array(z.strictObject({ account, balances: z.array(z.strictObject(held)), error: fault.optional() })),
    totals: z.array(z.strictObject({ ...held, practice: z.boolean() })),
  }),
  vault: z.strictObject({
    type: z.literal('vault'),
    state: z.enum(['absent', 'locked', 'unlocked']),
    locksAt: time.optional(),
    accounts: z.array(z.string()),
    plain: z.array(z.string()),
  }),
} as const
