import type { Insertable } from 'kysely'
import type { z } from 'zod'
import { audienceTexts } from '../../../shared/marketing/audience.ts'
import type { CampaignInput, CampaignView, listCampaigns } from '../../../shared/marketing/campaigns.ts'
import { campaignTexts } from '../../../shared/marketing/campaigns.ts'
import { readStore, type StoreRow } from '../../access/stores/public.ts'
import { selectExistingCoupons } from '../../carts/coupons/public.ts'
import { AppError, createId, requireFound } from '../../core/common/public.ts'
import {
  type Db,
  describePage,
  type PageWindow,
  type StoreDb,
  type StoreTx,
  sql,
  transact,
} from '../../core/db/public.ts'
import type { CampaignsTable } from '../../core/schema/public.ts'
import { assertTextRenders } from '../../delivery/compose/public.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextRun, wakeStoreMessages } from '../../messages/messages/public.ts'
import { type EmailContent, resolveContent } from '../../messages/templates/public.ts'
import { selectErased } from '../../shoppers/suppressions/public.ts'
import { isFiltered, toStoredFilters } from '../audiences/public.ts'
import { COUPON_MISSING, couponColumns, insertTemplates, saveTemplate } from '../flows/public.ts'
import { type IdempotentRequest, replayReply, withIdempotencyKey } from '../manual-sends/public.ts'
import { fieldError, isEmail, parsePeople, type StoreClock, type StoredInput } from './campaign-input.ts'
import { type CampaignRow, lockCampaign, readCampaign, selectWithTexts, updateCampaign } from './campaigns-sql.ts'
import { assertPlanAllows, assertSenderReady, rejectCartWording } from './gates.ts'
import { viewCampaign, viewCampaigns } from './present.ts'
import { findNextRun, findNextRunAfterChange, getRunTimes, getToday } from './rules.ts'
import { followEdit } from './runs.ts'
import { sendNowIn } from './steps.ts'

// Campaigns: list, create and edit. Steps such as pause and cancel are in steps.ts, runs in runs.ts.

type ListQuery = z.output<typeof listCampaigns.query>

export async function readCampaigns(store: StoreDb<Db>, { search, status, page, limit }: ListQuery) {
  const filter = { search: (search ?? '').trim().replaceAll('\0', ''), status: status ?? null }
  const total = await countCampaigns(store, filter)
  const rows = await pageOfCampaigns(store, filter, { limit, offset: (page - 1) * limit })
  return { campaigns: await viewCampaigns(store, rows), pagination: describePage({ page, limit }, total) }
}

export async function createCampaign(
  deps: Deps,
  store: StoreDb<Db>,
  request: IdempotentRequest,
  input: CampaignInput,
): Promise<CampaignView> {
  const before = await findReplay(deps, store, request)
  if (before) return before
  const { row, where } = await loadStoreContext(deps, store)
  const stored = toStoredCampaign(input, where, null)
  assertValid(stored, where, { hasStart: !input.sendNow })
  await assertPlanAllows(deps, request.account, planFeatures(stored, where, input.sendNow))
  await assertSenderReady(deps, { account: request.account, store }, row, stored.type)
  await rejectOwnText(deps, store, row, stored)
  const { id } = await withIdempotencyKey(deps, store, request, {
    make: async (tx, id) => {
      await insert(deps, tx, { id, stored, coupon: input.content.coupon, request, where })
      if (input.sendNow) await sendNowIn(deps, tx, requireFound(await lockCampaign(tx, id), 'Campaign'))
    },
    answer: async (id) => ({ id }),
  })
  return viewCampaign(store, id)
}

/**
 * Returns the campaign that an earlier request with the same idempotency key created; null for a first request or one
 * without a key.
 */
export async function findReplay(
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  request: IdempotentRequest,
): Promise<CampaignView | null> {
  if (request.key === null) return null
  const before = await replayReply(deps, store, request, async (id) => ({ id }))
  return before && viewCampaign(store, before.reply.id)
}

export async function loadStoreContext(
  deps: Pick<Deps, 'now'>,
  store: StoreDb,
): Promise<{ row: StoreRow; where: StoreClock }> {
  const row = requireFound(await readStore(store), 'Store')
  return { row, where: { currency: row.currency, zone: row.time_zone, now: deps.now() } }
}

const planFeatures = (stored: StoredInput, where: StoreClock, isNow: boolean) => ({
  type: stored.type,
  filters: stored.filters,
  isPlanned: !isNow && isPlanned(stored, where),
})

const isPlanned = (
  { start_date, frequency }: Pick<StoredInput, 'start_date' | 'frequency'>,
  { zone, now }: StoreClock,
) => frequency !== 'once' || start_date > getToday(zone, now)

/** An approved template (WhatsApp) replaces the owner's own text. */
async function rejectOwnText(
  deps: Pick<Deps, 'channels' | 'renders'>,
  store: StoreDb,
  row: StoreRow,
  stored: StoredInput,
): Promise<void> {
  await rejectCartWording(deps, row.account_id, stored)
  const { type, subject, body, design } = stored
  const owner = { accountId: row.account_id, store }
  if (type !== 'whatsapp') await assertTextRenders(deps, owner, { channel: type, subject, body, design }, 'content.')
}

export interface NewCampaign {
  id: string
  stored: StoredInput
  coupon: CampaignInput['content']['coupon']
  request: IdempotentRequest
  where: StoreClock
}

export async function insert(
  deps: Pick<Deps, 'now' | 'secrets'>,
  tx: StoreTx,
  { id, stored, coupon, request, where }: NewCampaign,
): Promise<void> {
  const now = deps.now()
  const { people, subject, body, design, ...columns } = stored
  const templateId = createId()
  // The key is unique: no other message shares the template row of a campaign.
  const template = { id: templateId, key: `campaign:${id}`, name: stored.name, subject, body, design }
  await insertTemplates(tx, [template], now)
  await insertCampaign(tx, {
    ...columns,
    filters: JSON.stringify(columns.filters),
    ...(await toCouponColumns(tx, coupon, where)),
    id,
    status: 'scheduled',
    template_id: templateId,
    created_by: request.session.userId,
    next_run_at: clampToNow(now, findNextRun(getRunTimes(columns), where.zone, null)),
    run_zone: where.zone,
    is_planned: isPlanned(columns, where),
    created_at: now,
    updated_at: now,
  })
  await saveChosenPeople(deps, tx, id, people)
}

/** The address of an erased person is not stored again (C8). */
async function saveChosenPeople(
  { secrets }: Pick<Deps, 'secrets'>,
  tx: StoreTx,
  id: string,
  people: readonly string[],
): Promise<void> {
  const erased = await selectErased(tx, people.map(secrets.addressHash))
  const remaining = people.filter((address) => !erased.has(secrets.addressHash(address).toString('hex')))
  await setPeople(tx, id, remaining)
}

async function toCouponColumns(tx: StoreTx, coupon: NewCampaign['coupon'], { currency }: StoreClock) {
  if (coupon === null) return { coupon_id: null, coupon_pause_days: null }
  if (!(await selectExistingCoupons(tx, [coupon.couponId])).has(coupon.couponId))
    throw fieldError('content.coupon', COUPON_MISSING)
  return couponColumns(coupon, currency)
}

export async function saveCampaign(
  deps: Deps,
  store: StoreDb<Db>,
  id: string,
  input: CampaignInput,
): Promise<CampaignView> {
  const { row, where } = await loadStoreContext(deps, store)
  const before = requireFound(await readCampaign(store, id), 'Campaign')
  const stored = toStoredCampaign(input, where, before)
  assertValid(stored, where, { hasStart: !input.sendNow && stored.start_date !== before.start_date })
  const account = { accountId: row.account_id, db: store.db }
  await assertPlanAllows(deps, account, changedGates(before, stored, where, input.sendNow))
  if (input.sendNow) await assertSenderReady(deps, { account, store }, row, stored.type)
  await rejectOwnText(deps, store, row, stored)
  await transact(store, async (tx) => {
    const campaign = requireFound(await lockCampaign(tx, id), 'Campaign')
    if (campaign.type !== stored.type && campaign.run > 0) {
      throw new AppError('conflict', campaignTexts.typeKept, { fields: { type: campaignTexts.typeKept } })
    }
    await update(deps, tx, campaign, { stored, coupon: input.content.coupon, where })
    if (input.sendNow) await sendNowIn(deps, tx, requireFound(await lockCampaign(tx, id), 'Campaign'))
  })
  return viewCampaign(store, id)
}

/** Features that the campaign already had need no larger plan. */
function changedGates(before: CampaignRow, stored: StoredInput, where: StoreClock, isNow: boolean) {
  const { isPlanned, ...gated } = planFeatures(stored, where, isNow)
  const isSameTime = isSame(getRunTimes(before), getRunTimes(stored)) && before.type === stored.type
  const isSameAudience = isSame(before.filters, stored.filters) || !isFiltered(stored.filters)
  return { ...gated, filters: isSameAudience ? {} : stored.filters, isPlanned: isPlanned && !isSameTime }
}

const isSame = (a: object, b: object): boolean => {
  const sorted = (of: object) => JSON.stringify(Object.entries(of).sort())
  return sorted(a) === sorted(b)
}

/** Unsent messages follow the edit: content and coupon are read at the send decision, due times are updated. */
async function update(
  deps: Pick<Deps, 'jobs' | 'now' | 'secrets'>,
  tx: StoreTx,
  campaign: CampaignRow,
  { stored, coupon, where }: Pick<NewCampaign, 'stored' | 'coupon' | 'where'>,
): Promise<void> {
  const { id } = campaign
  const now = deps.now()
  const { people, subject, body, design, ...columns } = stored
  await saveTemplate(tx, { id: campaign.template_id, subject, body, design, now })
  const isSameTime = isSame(getRunTimes(campaign), getRunTimes(columns))
  await updateCampaign(tx, id, {
    ...columns,
    filters: JSON.stringify(columns.filters),
    ...(await toCouponColumns(tx, coupon, where)),
    ...(isSameTime ? {} : computeTimes(campaign, columns, where)),
    // The edit may have removed the cause of the delay.
    ...(isSameTime && campaign.put_off_by !== null && { next_run_at: now }),
    put_off_by: null,
    updated_at: now,
  })
  await saveChosenPeople(deps, tx, id, people)
  const isRetimed = campaign.delay_hours !== columns.delay_hours || campaign.spread_hours !== columns.spread_hours
  const isSelected = columns.audience_mode === 'selected'
  if (campaign.run > 0) await followEdit(deps, tx, id, { isSelected, isRetimed })
  await wakeStoreMessages(tx, ['coupon_pending', 'coupon_failed'], now)
  await scheduleNextRun(tx)
}

type TimeColumns = Parameters<typeof getRunTimes>[0]

const computeTimes = (campaign: CampaignRow, columns: TimeColumns, where: StoreClock) => ({
  next_run_at: nextAfterEdit(campaign, columns, where),
  run_zone: where.zone,
  is_planned: isPlanned(columns, where),
})

/** An ended campaign runs again only after Play. */
function nextAfterEdit(campaign: CampaignRow, columns: TimeColumns, { zone, now }: StoreClock) {
  const isOver = !['scheduled', 'active', 'paused'].includes(campaign.status) || campaign.sent_now_at !== null
  if (isOver) return null
  return clampToNow(now, findNextRunAfterChange(campaign.run, getRunTimes(columns), zone, now))
}

/** A run whose time passed before it was requested starts now, and its messages are dated now. */
const clampToNow = (now: Date, at: Date | null): Date | null => (at !== null && at < now ? now : at)

/** `before`: the stored content, which a request without a document may keep; null: a new campaign. */
function toStoredCampaign(
  input: CampaignInput,
  { currency }: Pick<StoreClock, 'currency'>,
  before: EmailContent | null,
): StoredInput {
  const { targetAudience, content, schedule } = input
  const { type, filters } = targetAudience
  // Chosen customers are always selected, regardless of the mode in the request.
  const mode = type === 'specific_customers' ? 'selected' : targetAudience.mode
  return {
    name: input.name,
    description: input.description,
    type: input.type,
    audience_type: type,
    audience_mode: mode,
    filters: toStoredFilters(filters, currency),
    people: mode === 'selected' ? parsePeople(targetAudience, input.customerEmails) : [],
    template_key: content.template,
    ...toContentColumns(input, before),
    start_date: schedule.startDate,
    time_of_day: schedule.timeOfDay,
    frequency: schedule.frequency,
    delay_hours: schedule.delay,
    spread_hours: schedule.spreadHours,
  }
}

/** An SMS has no subject, and a WhatsApp message has the text of its approved template (decision 126). */
function toContentColumns({ type, content: { subject, body, design } }: CampaignInput, before: EmailContent | null) {
  if (type === 'email') return resolveContent({ subject, body, design }, before)
  return { subject: type === 'push' ? subject : '', body: type === 'whatsapp' ? '' : body, design: null }
}

/** Throws the errors of B 5. `hasStart`: the start date is new, so it is validated. */
function assertValid(stored: StoredInput, { zone, now }: StoreClock, { hasStart }: { hasStart: boolean }): void {
  const { type, subject, body, frequency, audience_mode, people, start_date } = stored
  if (frequency !== 'once' && audience_mode !== 'matching') {
    throw fieldError('targetAudience.mode', campaignTexts.recurringNeedsMatching)
  }
  if (audience_mode === 'selected' && people.length === 0) throw fieldError('customerEmails', audienceTexts.none)
  const isText = type === 'sms' || type === 'whatsapp'
  if (!isText && !people.every(isEmail)) throw fieldError('customerPhones', audienceTexts.phonesOfMail)
  if (hasStart && start_date < getToday(zone, now)) throw fieldError('schedule.startDate', campaignTexts.pastStart)
  if (type === 'email' && subject === '') throw fieldError('content.subject', campaignTexts.noSubject)
  if (type === 'push' && subject === '') throw fieldError('content.subject', campaignTexts.noTitle)
  if (type !== 'whatsapp' && body.trim() === '') throw fieldError('content.body', campaignTexts.noBody)
}

const selectListed = (store: StoreDb, { search, status }: ListFilter) =>
  selectWithTexts(store)
    .$if(search !== '', (query) => query.where('g.name', 'ilike', `%${search.replace(/[\\%_]/g, '\\$&')}%`))
    .$if(status !== null, (query) => query.where('g.status', '=', status!))

async function countCampaigns(store: StoreDb, filter: ListFilter): Promise<number> {
  const { total } = await selectListed(store, filter)
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** Newest first. */
function pageOfCampaigns(
  store: StoreDb,
  filter: ListFilter,
  { limit, offset }: Pick<PageWindow, 'limit' | 'offset'>,
): Promise<CampaignRow[]> {
  return selectListed(store, filter)
    .orderBy('g.created_at', 'desc')
    .orderBy('g.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
}

async function insertCampaign(
  { db, storeId }: StoreTx,
  values: Omit<Insertable<CampaignsTable>, 'store_id'>,
): Promise<void> {
  await db
    .insertInto('campaigns')
    .values({ store_id: storeId, ...values })
    .execute()
}

/** Replaces the chosen people. */
async function setPeople({ db, storeId }: StoreTx, id: string, addresses: readonly string[]): Promise<void> {
  await sql`
    with deleted as (delete from campaign_people
      where store_id = ${storeId} and campaign_id = ${id} and address <> all(${[...addresses]}::text[]))
    insert into campaign_people (store_id, campaign_id, address)
    select ${storeId}, ${id}, address from unnest(${[...addresses]}::text[]) as address on conflict do nothing`.execute(
    db,
  )
}

interface ListFilter {
  search: string
  status: CampaignsTable['status'] | null
}
