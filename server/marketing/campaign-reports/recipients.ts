import type { z } from 'zod'
import { explain } from '../../../shared/delivery/reasons.ts'
import type {
  CampaignRecipient,
  exportCampaignRecipients,
  listCampaignRecipients,
} from '../../../shared/marketing/campaign-report.ts'
import { readPages } from '../../access/http/public.ts'
import { type Db, describePage, findPageWindow, type StoreDb } from '../../core/db/public.ts'
import { describeState, findPart, listStates } from '../../messages/messages/public.ts'
import { assertCampaign } from './report.ts'
import * as sql from './sql.ts'

// The recipients of a campaign, each with the result of the message and the reason.

type Query = z.output<typeof listCampaignRecipients.query>

export async function listRecipients(store: StoreDb, campaignId: string, { page, limit, ...query }: Query) {
  await assertCampaign(store, campaignId)
  const filter = toFilter(campaignId, query)
  const total = await countMatching(store, filter)
  const window = findPageWindow({ page, limit }, total, true)
  const ids = window ? await sql.listRecipientIds(store, filter, window) : []
  return { recipients: await readRecipientPage(store, ids), pagination: describePage({ page, limit }, total) }
}

/** Yields all matching recipients, page by page. */
export async function* pagesOfRecipients(
  store: StoreDb<Db>,
  campaignId: string,
  query: Pick<z.output<typeof exportCampaignRecipients.query>, 'state' | 'run'>,
): AsyncGenerator<CampaignRecipient[]> {
  const filter = toFilter(campaignId, query)
  const pages = readPages<sql.RecipientPlace>((page) => sql.listPositionsAfter(store, filter, page))
  for await (const places of pages) {
    yield readRecipientPage(
      store,
      places.map(({ id }) => id),
    )
  }
}

function toFilter(campaignId: string, { state, run }: Pick<Query, 'state' | 'run'>): sql.RecipientFilter {
  return { campaignId, states: state ? listStates(state) : null, run: run ?? null }
}

async function countMatching(store: StoreDb, { campaignId, states, run }: sql.RecipientFilter): Promise<number> {
  const counted = await sql.countStates(store, campaignId)
  const matching = counted.filter(
    (each) => (!states || states.includes(each.state)) && (run === null || each.run === run),
  )
  return matching.reduce((total, { count }) => total + count, 0)
}

async function readRecipientPage(store: StoreDb, ids: readonly string[]): Promise<CampaignRecipient[]> {
  if (ids.length === 0) return []
  const rows = new Map((await sql.readRecipients(store, ids)).map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = rows.get(id)
    return row ? [presentRecipient(row)] : []
  })
}

const presentRecipient = (row: sql.RecipientRow): CampaignRecipient => ({
  messageId: row.id,
  shopperId: row.shopper_id,
  cartId: row.cart_id,
  customer: row.customer,
  to: row.to,
  run: row.run,
  state: findPart(row.state),
  reason: row.reason,
  explanation: explain(row.reason, row.channel, row.provider_response) || describeState(row.state),
  dueAt: row.due_at.toISOString(),
  sentAt: row.sending_at?.toISOString() ?? null,
  heldUntil: row.held_until?.toISOString() ?? null,
})
