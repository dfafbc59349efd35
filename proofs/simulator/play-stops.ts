import { setPlanManually } from '../../server/billing/billing/billing.ts'
import { saveRestingOrder } from '../../server/billing/billing/resting.ts'
import { resumeAccount, suspendAccount } from '../../server/billing/billing/suspension.ts'
import { createId } from '../../server/core/common/ids.ts'
import { transactAccount } from '../../server/core/db/db.ts'
import { plans } from '../../shared/billing/billing.ts'
import { type ActOf, type Harness, openAccountHandle } from './harness.ts'
import { OWNER_ID } from './owner.ts'
import type { Plan } from './steps.ts'
import { STORES } from './stops.ts'

// What stops an account or a store: suspension by an operator, and a plan without room.

type Players<Kind extends 'suspend' | 'rest'> = {
  [Each in Kind]: (harness: Harness, act: ActOf<Each>) => Promise<unknown>
}

export const stopPlayers: Players<'suspend' | 'rest'> = {
  async suspend(harness, { isSuspended }) {
    if (isSuspended === harness.stops.suspended) return
    const { now } = harness.web.deps
    // Sends that become due at once with the change are correct.
    if (!isSuspended) harness.setBlocks({ suspendedSince: null })
    const suspension = { reason: 'Complaints.', operatorId: OWNER_ID, support: 'support@simulator.example', now: now() }
    await transactAccount(openAccountHandle(harness), (tx) =>
      isSuspended ? suspendAccount(tx, suspension) : resumeAccount(tx, now()),
    )
    harness.stops.suspended = isSuspended
    if (isSuspended) harness.setBlocks({ suspendedSince: harness.clock.trueNow() })
    harness.stops.changedAt = harness.clock.trueNow()
  },
  async rest(harness, { isChosen, plan }) {
    await connectNeighbours(harness)
    const { fixture, stops, web } = harness
    const options = { isChosen, plan: plan ?? stops.plan }
    recordBeforeWake(harness, options)
    const chosen = isChosen ? [fixture.storeId] : []
    const isConnected = !harness.isDisconnected
    if (isConnected)
      await transactAccount(openAccountHandle(harness), (tx) => saveRestingOrder(tx, chosen, web.deps.now()))
    if (plan) await setPlanManually(web.deps, openAccountHandle(harness), { planKey: plan })
    recordRest(harness, isConnected ? options : { ...options, isChosen: stops.isChosen })
  },
}

/** Call before a change that may wake the store: sends that become due at once with it are correct. */
export function recordBeforeWake(harness: Harness, options: { isChosen: boolean; plan: Plan }): void {
  if (!mustRest(options)) harness.setBlocks({ restingSince: null })
}

/** Call after any change that may affect it. */
export function recordRest(harness: Harness, now: { isChosen?: boolean; plan?: Plan } = {}): void {
  const { stops } = harness
  Object.assign(stops, now)
  const isResting = stops.hasNeighbours && !harness.isDisconnected && mustRest(stops)
  if (isResting !== stops.isResting) stops.changedAt = harness.clock.trueNow()
  if (isResting !== stops.isResting) harness.setBlocks({ restingSince: isResting ? harness.clock.trueNow() : null })
  stops.isResting = isResting
}

export function recordConnection(harness: Harness, isConnected: boolean): void {
  harness.isDisconnected = !isConnected
  harness.setBlocks({ disconnectedSince: isConnected ? null : harness.clock.trueNow() })
  recordRest(harness)
}

/** The store rests if it was chosen and the account has more stores than the plan allows. */
const mustRest = ({ isChosen, plan }: { isChosen: boolean; plan: Plan }) =>
  isChosen && STORES > plans[plan].limits.maxStores

/** Two more stores, connected later. */
async function connectNeighbours(harness: Harness): Promise<void> {
  if (harness.stops.hasNeighbours) return
  harness.stops.hasNeighbours = true
  const ids = Array.from({ length: STORES - 1 }, createId)
  await harness.environment.pool.query(
    `insert into stores (id, account_id, platform, url, home_url, name, currency, time_zone, version, connected_at, capture_key)
     select n.id, s.account_id, s.platform, 'https://' || n.id || '.example', 'https://' || n.id || '.example', 'Pots', s.currency,
       s.time_zone, s.version, s.connected_at + interval '1 minute', n.id::text
     from stores s, unnest($2::uuid[]) as n(id) where s.id = $1`,
    [harness.fixture.storeId, ids],
  )
}
