import { setPlanManually } from '../../server/billing/billing/billing.ts'
import { saveBudget } from '../../server/delivery/texts/budget.ts'
import type { Deps } from '../../server/deps.ts'
import { createOverride, endOverride } from '../../server/shoppers/consent/overrides.ts'
import { buildEntryId } from '../../server/shoppers/suppressions/rules.ts'
import { addEntry, removeEntry } from '../../server/shoppers/suppressions/suppressions.ts'
import { eraseDataSubject, runErasure } from '../../server/workspace/privacy/erase.ts'
import { secrets } from './actors.ts'
import { buildAlias } from './aliases.ts'
import { type ActOf, type Harness, openAccountHandle, openStoreHandle } from './harness.ts'
import type { Person } from './people.ts'
import { recordBeforeWake, recordRest } from './play-stops.ts'
import type { Act } from './steps.ts'

// Actions of an owner on single people, and on the budget for texts.

type Players<Kind extends Act['do']> = { [Each in Kind]: (harness: Harness, act: ActOf<Each>) => Promise<unknown> }

/** With a legal ground: unconfirmed consent of Germans counts, and everyone may be mailed until they refuse. */
export const OVERRIDES = [
  { channel: 'sms', country: 'DE', from: 'confirmed_opt_in', to: 'opt_in' },
  { channel: 'email', country: 'DE', from: 'soft_opt_in', to: 'opt_out' },
  { channel: 'sms', country: '*', from: 'confirmed_opt_in', to: 'opt_in' },
] as const

export const ownerPlayers: Players<
  'suppress' | 'allow again' | 'override' | 'end override' | 'budget' | 'plan' | 'erase'
> = {
  async suppress(harness, { person, kind, channels }) {
    const by = { account: openAccountHandle(harness), session: harness.fixture.session }
    const who = harness.people[person]!
    const address = kind === 'email' ? who.email : who.typedPhone
    await addEntry(harness.web.deps, by, { address, channels, note: 'asked on the phone' })
    for (const each of listAddresses(who, kind)) {
      for (const channel of kind === 'email' ? ['email'] : channels.length === 2 ? ['all'] : channels) {
        const key = `${channel}:${each}`
        harness.suppressed.set(key, harness.suppressed.get(key) ?? harness.clock.trueNow())
      }
    }
  },
  async 'allow again'(harness, { person, kind, channel }) {
    const by = { account: openAccountHandle(harness), session: harness.fixture.session }
    for (const address of listAddresses(harness.people[person]!, kind)) {
      const id = buildEntryId(secrets.addressHash(address), channel, 'manual')
      await removeEntry(harness.web.deps, by, id)
      harness.suppressed.delete(`${channel}:${address}`)
    }
  },
  async override(harness, { rule }) {
    const legalGround = 'Section 7 (3) of the law on unfair competition, as our lawyer wrote us.'
    await createOverride(harness.web.deps, harness.fixture.session, openStoreHandle(harness), {
      ...OVERRIDES[rule]!,
      legalGround,
    })
  },
  async 'end override'(harness, { rule }) {
    const { channel, country } = OVERRIDES[rule]!
    const { rows } = await harness.environment.pool.query(
      'select id from consent_overrides where store_id = $1 and channel = $2 and country = $3 and ended_at is null',
      [harness.fixture.storeId, channel, country],
    )
    for (const { id } of rows)
      await endOverride(harness.web.deps, harness.fixture.session, openStoreHandle(harness), id)
  },
  async budget(harness, { micros }) {
    await saveBudget(harness.web.deps, openAccountHandle(harness), micros === null ? null : micros / 1_000_000)
    harness.setBlocks({ budget: { micros, since: harness.clock.trueNow() } })
  },
  async plan(harness, { plan }) {
    recordBeforeWake(harness, { isChosen: harness.stops.isChosen, plan })
    await setPlanManually(harness.web.deps, openAccountHandle(harness), { planKey: plan })
    harness.setBlocks({ plannedSince: harness.clock.trueNow() })
    recordRest(harness, { plan })
  },
  async erase(harness, { person, kind, isRunNow }) {
    const { web, fixture, people } = harness
    const who = people[person]!
    const address = listAddresses(who, kind)[0]!
    const body = { address: kind === 'email' ? address : who.typedPhone, confirmation: 'erase' }
    const { id } = await eraseDataSubject(
      web.deps,
      { account: openAccountHandle(harness), session: fixture.session },
      body,
    )
    await recordErased(harness)
    if (!harness.erased.has(address)) throw new Error(`${address} was erased, but is not on the suppression list`)
    harness.erasing.push(id)
    if (isRunNow) await runErasures(harness, web.deps)
  },
}

const listAddresses = ({ email, phones }: Person, kind: 'email' | 'phone') => (kind === 'email' ? [email] : phones)

/** Records everyone whose hash is on the erasure list: the engine finds all addresses of a person. */
async function recordErased({ environment, fixture, people, erased, clock }: Harness): Promise<void> {
  const { rows } = await environment.pool.query<{ hash: string }>(
    `select encode(address_hash, 'hex') as hash from suppressions where account_id = $1 and reason = 'erased'`,
    [fixture.accountId],
  )
  const hashes = new Set(rows.map(({ hash }) => hash))
  for (const address of people.flatMap(({ email, phones }) => [email, buildAlias(email), ...phones])) {
    if (!erased.has(address) && hashes.has(secrets.addressHash(address).toString('hex')))
      erased.set(address, clock.trueNow())
  }
}

/** Runs erasure jobs until each has finished; the next worker continues one that was killed. */
export async function runErasures(harness: Harness, deps: Deps): Promise<void> {
  for (const erasureId of [...harness.erasing]) {
    await runErasure(deps, { accountId: harness.fixture.accountId, erasureId })
    harness.erasing = harness.erasing.filter((id) => id !== erasureId)
  }
}
