import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'

// Forecast of a flow's next messages.

export const upcomingMessages = endpoint({
  method: 'GET',
  path: '/api/flows/:flowId/upcoming',
  permission: 'flows:read',
  scope: 'store',
  params: z.object({ flowId: z.uuid() }),
  query: storeQuery.extend({ minutes: z.coerce.number().int().min(1).max(1_440).default(60) }),
  summary: 'A forecast of the next hour’s messages, and how many carts of the last 24 hours would be added',
  reply: z.object({
    /** Expected to be sent. */
    total: z.number(),
    /** Due as well, but beyond the maximum of evaluated messages. */
    unforeseen: z.number(),
    /** Due as well, but blocked as things are now, by reason. */
    notSent: z.array(z.object({ explanation: z.string(), count: z.number() })),
    cartsOfLast24h: z.number(),
    messages: z.array(
      z.object({
        cartId: z.string(),
        customer: z.string(),
        /** Email address or phone number. */
        to: z.string().nullable(),
        step: z.number(),
        channel: z.enum(['email', 'sms', 'whatsapp', 'push']),
        dueAt: z.string(),
        state: z.string(),
        explanation: z.string(),
      }),
    ),
  }),
})
