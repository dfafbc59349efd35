import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'

// How long a store keeps its shoppers' data (C10).

export const retentionDays = { min: 30, max: 730, usual: 180 } as const
/** The count stops here, and the page shows “or more”. */
export const MAX_COUNTED = 100_000

const Days = z
  .int()
  .min(retentionDays.min)
  .max(retentionDays.max)
  .meta({ description: `${retentionDays.min} to ${retentionDays.max}` })

/** One nightly run. */
const Run = z.object({
  /** In the store's calendar. */
  day: z.string(),
  days: z.number(),
  startedAt: z.string(),
  finishedAt: z.string().nullable(),
  /** People without an order, and people with one. */
  contacts: z.number(),
  customers: z.number(),
  /** Rows by table. */
  counts: z.record(z.string(), z.number()),
})
export type RetentionRun = z.infer<typeof Run>

const Retention = z.object({
  /** null: data is kept as long as the store is connected. */
  days: z.number().nullable(),
  /** Newest first. */
  runs: z.array(Run),
})
export type Retention = z.infer<typeof Retention>

export const readRetention = endpoint({
  method: 'GET',
  path: '/api/retention',
  permission: 'privacy:write',
  scope: 'store',
  summary: 'How long shoppers’ data is kept, and the last nightly runs with the rows they erased',
  query: storeQuery,
  reply: Retention,
})

export const countRetention = endpoint({
  method: 'GET',
  path: '/api/retention/count',
  permission: 'privacy:write',
  scope: 'store',
  summary: `The people whose data would be erased now with this number of days, counted up to ${MAX_COUNTED.toLocaleString('en')}`,
  query: storeQuery.extend({ days: z.coerce.number().pipe(Days).default(retentionDays.usual) }),
  reply: z.object({ contacts: z.number(), customers: z.number(), carts: z.number(), isMore: z.boolean() }),
})

export const saveRetention = endpoint({
  method: 'PUT',
  path: '/api/retention',
  permission: 'privacy:write',
  scope: 'store',
  summary:
    'Set how many days after they were last seen shoppers’ data is erased; `null` keeps it for as long as the store is connected',
  query: storeQuery,
  body: z.object({ days: Days.nullable() }),
  reply: Retention,
})
