import type Stripe from 'stripe'
import { z } from 'zod'
import { AppError } from '../../core/common/public.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './events-sql.ts'
import { chargeJob, refreshJob, trialEndingJob } from './jobs.ts'
import { toDate } from './stripe-schemas.ts'

// Receives Stripe's webhooks: verified, stored once by id and answered. An event only names the account to fetch
// (decision 83).

const TOLERANCE_S = 300
const DAY_MS = 86_400_000
/** Stripe retries for three days. */
const RETENTION_MS = 40 * DAY_MS

const id = z
  .string()
  .max(255)
  .regex(/^[\w-]+$/)
const reference = z.union([id, z.looseObject({ id }).transform((object) => object.id)]).nullish()

const EventBody = z.object({
  id,
  type: z.string().max(100),
  created: z.number().int().min(0).max(9_999_999_999),
  livemode: z.boolean(),
  data: z.object({
    object: z.object({ object: z.string().max(100), id: id.optional(), customer: reference, charge: reference }),
    previous_attributes: z.object({ customer: reference }).nullish(),
  }),
})
type EventBody = z.infer<typeof EventBody>

const FORGED =
  'The signature is not valid: it was made with a secret other than STRIPE_WEBHOOK_SECRET, or is older than five minutes.'

export interface Delivery {
  payload: Buffer
  signature: string
}

/** Throws a sentence if a delivery is invalid; then nothing is stored. */
export async function receiveEvent(
  deps: Pick<Deps, 'config' | 'db' | 'jobs' | 'log' | 'now' | 'stripe'>,
  delivery: Delivery,
): Promise<void> {
  const event = readEvent(deps, delivery)
  const customer = readCustomerId(event)
  const { object } = event.data
  const now = deps.now()
  await deps.db.transaction().execute(async (tx) => {
    const stored = { id: event.id, type: event.type, customer, createdAt: toDate(event.created) }
    if (!(await sql.insertEvent(tx, stored, now))) return
    if (!customer) {
      const chargeId = object.charge
      if (chargeId) await deps.jobs.enqueue(tx, chargeJob, { chargeId }, chargeId)
      return
    }
    const accountId = await sql.selectAccountOfCustomer(tx, customer)
    if (!accountId) {
      deps.log.info({ eventId: event.id, type: event.type }, 'stripe.unknown_customer')
      return
    }
    const job = event.type === 'customer.subscription.trial_will_end' ? trialEndingJob : refreshJob
    await deps.jobs.enqueue(tx, job, { accountId }, accountId)
  })
}

function readEvent(
  { stripe, config, now }: Pick<Deps, 'config' | 'now' | 'stripe'>,
  { payload, signature }: Delivery,
): EventBody {
  if (!stripe || !config.stripe) throw new AppError('not_found', 'Not found')
  const { webhookSecrets, secretKey } = config.stripe
  if (webhookSecrets.length === 0) throw new AppError('invalid', 'STRIPE_WEBHOOK_SECRET is not set here.')
  const found = webhookSecrets
    .map((secret) => verifySignature(stripe, { payload, signature, secret, at: now() }))
    .find(Boolean)
  if (!found) throw new AppError('invalid', FORGED)
  const { data: event } = EventBody.safeParse(found)
  if (!event) throw new AppError('invalid', 'This is not an event of Stripe.')
  const isLive = /^(sk|rk)_live_/.test(secretKey)
  if (event.livemode !== isLive) {
    const [its, ours] = isLive ? ['test', 'live'] : ['live', 'test']
    throw new AppError(
      'invalid',
      `This is an event of Stripe’s ${its} mode, and the key here is one of its ${ours} mode.`,
    )
  }
  return event
}

function verifySignature(
  stripe: Stripe,
  { payload, signature, secret, at }: Delivery & { secret: string; at: Date },
): Stripe.Event | null {
  try {
    return stripe.webhooks.constructEvent(payload, signature, secret, TOLERANCE_S, undefined, at.getTime())
  } catch {
    return null
  }
}

function readCustomerId({ data: { object, previous_attributes: before } }: EventBody): string | null {
  if (object.object === 'customer') return object.id ?? null
  return object.customer ?? before?.customer ?? null
}

export const deleteOldEvents = ({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<void> =>
  sql.deleteOldEvents(db, new Date(now().getTime() - RETENTION_MS))
