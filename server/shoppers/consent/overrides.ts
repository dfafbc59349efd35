import type { z } from 'zod'
import type * as api from '../../../shared/shoppers/consent.ts'
import { findUserById, type Session } from '../../access/members/public.ts'
import { AppError, createId, requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { ChannelName } from '../../messages/channels/public.ts'
import { scheduleNextRun, wakeStoreMessages } from '../../messages/messages/public.ts'
import { canOverride, findConsentRule } from './consent.ts'
import { type ConsentTerms, selectConsentTerms } from './consent-sql.ts'
import { countryRules, ruleNames, ruleTexts } from './consent-table.ts'
import * as sql from './override-sql.ts'

// The consent table as it applies to a store, and the team's overrides (C6). Nothing is changed or deleted: an override
// starts and ends.

const channels = ['email', 'sms', 'whatsapp'] as const

export async function readTable(store: StoreDb): Promise<z.input<typeof api.consentTable.reply>> {
  const codes = new Set(
    channels.flatMap((channel) => Object.values(countryRules[channel].listed).flatMap((list) => list.split(' '))),
  )
  const buildRules = (country: string | null) => ({
    email: findConsentRule('email', country),
    sms: findConsentRule('sms', country),
    whatsapp: findConsentRule('whatsapp', country),
  })
  const { smsConfirmation } = await selectConsentTerms(store)
  return {
    rules: ruleNames.map((name) => ({ name, ...ruleTexts[name] })),
    countries: [...codes].sort().map((country) => ({ country, rules: buildRules(country) })),
    elsewhere: buildRules(null),
    alsoAsked: otherRules.flatMap(({ channel, countries, sentence }) =>
      channel === 'push' ? [] : [{ channel, countries: countries.split(' '), sentence }],
    ),
    overridable: channels.flatMap((channel) =>
      ruleNames.flatMap((from) => {
        const to = ruleNames.filter((rule) => canOverride(channel, from, rule))
        return to.length > 0 && isUsed(channel, from) ? [{ channel, from, to }] : []
      }),
    ),
    overrides: (await sql.selectOverrides(store)).map(presentOverride),
    smsConfirmation,
  }
}

function isUsed(channel: api.ConsentChannel, rule: api.RuleName): boolean {
  const { listed, elsewhere } = countryRules[channel]
  return elsewhere === rule || listed[rule] !== undefined
}

type OverrideInput = z.output<typeof api.overrideRule.body>

export async function createOverride(
  deps: Pick<Deps, 'db' | 'log' | 'now'>,
  session: Session,
  store: StoreDb<Db>,
  overrideInput: OverrideInput,
) {
  const { channel, country, from, to, legalGround } = overrideInput
  const isOfTable = country === '*' ? isUsed(channel, from) : findConsentRule(channel, country) === from
  if (!isOfTable)
    throw new AppError('conflict', 'This rule has changed since you opened the page. Reload the page and try again.')
  if (channel === 'whatsapp' || !canOverride(channel, from, to)) {
    const contact =
      channel === 'email'
        ? 'The chosen rule is not less strict than the current one.'
        : 'SMS and WhatsApp always need the person’s opt-in. This rule cannot be made less strict.'
    throw new AppError('unprocessable', contact, { fields: { to: contact } })
  }
  const now = deps.now()
  const user = requireFound(await findUserById(deps.db, session.userId), 'User')
  const by = { userId: user.id, name: user.name || user.email }
  const row = { id: createId(), channel, country, from, to, legalGround, now, by }
  const stored = await transact(store, async (tx) => {
    const inserted = await sql.insertConsentOverride(tx, row)
    if (!inserted) return null
    await wakeStoreMessages(tx, ['no_consent', 'consent_unconfirmed', 'consent_pending'], now)
    await scheduleNextRun(tx)
    return inserted
  })
  if (!stored) throw new AppError('conflict', 'This rule has been changed already. Restore the original rule first.')
  deps.log.info({ storeId: store.storeId, channel, country, from, to }, 'consent.relaxed')
  return presentOverride(stored)
}

/** Idempotent. Sent messages stay sent; the next decision uses the table's rule. */
export async function endOverride(
  deps: Pick<Deps, 'db' | 'log' | 'now'>,
  session: Session,
  store: StoreDb<Db>,
  id: string,
) {
  const user = requireFound(await findUserById(deps.db, session.userId), 'User')
  const by = { userId: user.id, name: user.name || user.email }
  await sql.endConsentOverride(store, { id, by, now: deps.now() })
  const row = requireFound(await sql.selectOverride(store, id), 'ConsentOverride')
  deps.log.info({ storeId: store.storeId, channel: row.channel, country: row.country }, 'consent.override-ended')
  return presentOverride(row)
}

export async function setSmsConfirmation(store: StoreDb, mode: ConsentTerms['smsConfirmation']) {
  await sql.setSmsConfirmation(store, mode)
  return { mode }
}

function presentOverride(row: sql.ConsentOverrideRow): api.ConsentOverrideView {
  return {
    id: row.id,
    channel: row.channel,
    country: row.country,
    from: row.from_rule,
    to: row.to_rule,
    legalGround: row.legal_ground,
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by_name,
    endedAt: row.ended_at?.toISOString() ?? null,
    endedBy: row.ended_by_name,
  }
}

/** Further requirements of countries or providers, for the screen; enforced by `findTextLimits`. */
const otherRules: readonly { channel: ChannelName; countries: string; sentence: string }[] = [
  {
    channel: 'sms',
    countries: 'US',
    sentence: 'One SMS per cart, and only within 48 hours of its abandonment.',
  },
  {
    channel: 'whatsapp',
    countries: 'US CA',
    sentence: 'WhatsApp does not deliver marketing messages to numbers that begin with +1.',
  },
]
