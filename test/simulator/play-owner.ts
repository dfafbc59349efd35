import { setPlanByHand } from '../../server/billing/billing.ts'
import type { Deps } from '../../server/deps.ts'
import { saveBudget } from '../../server/messages/budget.ts'
import { erasePerson, runErasure } from '../../server/persons/erase.ts'
import { end, relax } from '../../server/shoppers/relaxations.ts'
import { entryId } from '../../server/suppressions/rules.ts'
import { addEntry, removeEntry } from '../../server/suppressions/suppressions.ts'
import { secrets } from './actors.ts'
import type { Person } from './people.ts'
import type { Act } from './steps.ts'
import { type ActOf, account, handle, type Theatre } from './theatre.ts'

// What an owner does with single people, and with what texts may cost.

type Players<Kind extends Act['do']> = { [Each in Kind]: (theatre: Theatre, act: ActOf<Each>) => Promise<unknown> }

/** On a legal ground: German yeses unconfirmed, Germans and everybody else written to by mail until they say no. */
export const RELAXED = [
  { channel: 'sms', country: 'DE', from: 'confirmed_opt_in', to: 'opt_in' },
  { channel: 'email', country: 'DE', from: 'soft_opt_in', to: 'opt_out' },
  { channel: 'sms', country: '*', from: 'confirmed_opt_in', to: 'opt_in' },
] as const

export const ownerPlayers: Players<
  'suppress' | 'allow again' | 'relax' | 'end relaxation' | 'budget' | 'plan' | 'erase'
> = {
  async suppress(theatre, { person, kind, channels }) {
    const by = { account: account(theatre), session: theatre.stage.session }
    const who = theatre.people[person]!
    const address = kind === 'email' ? who.email : who.typedPhone
    await addEntry(theatre.web.deps, by, { address, channels, note: 'asked on the phone' })
    for (const each of addressesOf(who, kind)) {
      for (const channel of kind === 'email' ? ['email'] : channels.length === 2 ? ['all'] : channels) {
        const key = `${channel}:${each}`
        theatre.suppressed.set(key, theatre.suppressed.get(key) ?? theatre.clock.trueNow())
      }
    }
  },
  async 'allow again'(theatre, { person, kind, channel }) {
    const by = { account: account(theatre), session: theatre.stage.session }
    for (const address of addressesOf(theatre.people[person]!, kind)) {
      const id = entryId(secrets.addressHash(address), channel, 'manual')
      await removeEntry(theatre.web.deps, by, id)
      theatre.suppressed.delete(`${channel}:${address}`)
    }
  },
  async relax(theatre, { rule }) {
    const legalGround = 'Section 7 (3) of the law on unfair competition, as our lawyer wrote us.'
    await relax(theatre.web.deps, theatre.stage.session, handle(theatre), { ...RELAXED[rule]!, legalGround })
  },
  async 'end relaxation'(theatre, { rule }) {
    const { channel, country } = RELAXED[rule]!
    const { rows } = await theatre.outside.pool.query(
      'select id from consent_relaxations where store_id = $1 and channel = $2 and country = $3 and ended_at is null',
      [theatre.stage.storeId, channel, country],
    )
    for (const { id } of rows) await end(theatre.web.deps, theatre.stage.session, handle(theatre), id)
  },
  async budget(theatre, { micros }) {
    await saveBudget(theatre.web.deps, account(theatre), micros === null ? null : micros / 1_000_000)
    theatre.say({ budget: { micros, since: theatre.clock.trueNow() } })
  },
  async plan(theatre, { plan }) {
    await setPlanByHand(theatre.web.deps, account(theatre), plan)
    theatre.say({ plannedSince: theatre.clock.trueNow() })
  },
  async erase(theatre, { person, kind, isRunNow }) {
    const { web, stage, people } = theatre
    const who = people[person]!
    const address = addressesOf(who, kind)[0]!
    const wanted = { address: kind === 'email' ? address : who.typedPhone, confirmation: 'erase' }
    const { id } = await erasePerson(web.deps, { account: account(theatre), session: stage.session }, wanted)
    await noteErased(theatre)
    if (!theatre.erased.has(address)) throw new Error(`${address} was erased and is not on the suppression list`)
    theatre.erasing.push(id)
    if (isRunNow) await runErasures(theatre, web.deps)
  },
}

const addressesOf = ({ email, phones }: Person, kind: 'email' | 'phone') => (kind === 'email' ? [email] : phones)

/** Everybody whose hash is on the list for that: the engine finds all addresses of a person. */
async function noteErased({ outside, stage, people, erased, clock }: Theatre): Promise<void> {
  const { rows } = await outside.pool.query<{ hash: string }>(
    `select encode(address_hash, 'hex') as hash from suppressions where account_id = $1 and reason = 'erased'`,
    [stage.accountId],
  )
  const hashes = new Set(rows.map(({ hash }) => hash))
  for (const address of people.flatMap(({ email, phones }) => [email, ...phones])) {
    if (!erased.has(address) && hashes.has(secrets.addressHash(address).toString('hex')))
      erased.set(address, clock.trueNow())
  }
}

/** The jobs of erasures, until each has ended; one that is killed in the middle is taken up by the next worker. */
export async function runErasures(theatre: Theatre, deps: Deps): Promise<void> {
  for (const erasureId of [...theatre.erasing]) {
    await runErasure(deps, { accountId: theatre.stage.accountId, erasureId })
    theatre.erasing = theatre.erasing.filter((id) => id !== erasureId)
  }
}
