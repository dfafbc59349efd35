import type { z } from 'zod'
import { type CampaignView, campaignTexts, type sendToAbandonedCarts } from '../../../shared/marketing/campaigns.ts'
import { requireFound, validZone } from '../../core/common/public.ts'
import type { Db, StoreDb } from '../../core/db/public.ts'
import { assertTextRenders } from '../../delivery/compose/public.ts'
import type { Deps } from '../../deps.ts'
import { QUICK_SEND_TEMPLATES, resolveContent, toTemplateText } from '../../messages/templates/public.ts'
import { toStoredFilters } from '../audiences/public.ts'
import { type IdempotentRequest, withIdempotencyKey } from '../manual-sends/public.ts'
import { fieldError, type StoreClock, type StoredInput } from './campaign-input.ts'
import { findReplay, insert, loadStoreContext } from './campaigns.ts'
import { lockCampaign } from './campaigns-sql.ts'
import { assertPlanAllows, assertSenderReady } from './gates.ts'
import { viewCampaign } from './present.ts'
import { getClock, getToday } from './rules.ts'
import { sendNowIn } from './steps.ts'

// "Send to All Abandoned Carts" (B 2, B 9): creates a campaign and sends it at once.

type QuickSendInput = z.output<typeof sendToAbandonedCarts.body>

export async function sendToAll(
  deps: Deps,
  store: StoreDb<Db>,
  request: IdempotentRequest,
  input: QuickSendInput,
): Promise<CampaignView> {
  const before = await findReplay(deps, store, request)
  if (before) return before
  const { row, where } = await loadStoreContext(deps, store)
  const stored = quickSend(input, where)
  if (isMissingCoupon(input)) throw fieldError('coupon', campaignTexts.noOffer)
  await assertPlanAllows(deps, request.account, { ...stored, isPlanned: false })
  await assertSenderReady(deps, { account: request.account, store }, row, stored.type)
  const { subject, body, design } = stored
  await assertTextRenders(deps, { accountId: row.account_id, store }, { channel: 'email', subject, body, design })
  const { id } = await withIdempotencyKey(deps, store, request, {
    make: async (tx, id) => {
      await insert(deps, tx, { id, stored, coupon: input.coupon ?? null, request, where })
      await sendNowIn(deps, tx, requireFound(await lockCampaign(tx, id), 'Campaign'))
    },
    answer: async (id) => ({ id }),
  })
  return viewCampaign(store, id)
}

/** True if the discount template or its default text is sent without a coupon (decision 44). */
function isMissingCoupon({ template, subject, htmlContent, design, coupon }: QuickSendInput): boolean {
  if (coupon) return false
  const texts = design ? toTemplateText(design) : { subject: subject?.trim(), body: htmlContent }
  return template === 'discount' || texts.subject === discount.subject || texts.body === discount.body
}

const discount = QUICK_SEND_TEMPLATES.find(({ id }) => id === 'discount')!

function quickSend(input: QuickSendInput, { currency, zone, now }: StoreClock): StoredInput {
  const texts = { subject: input.subject?.trim(), body: input.htmlContent, design: input.design }
  const { subject, body, design } = resolveContent(texts, null)
  if (!design && (subject === '' || body.trim() === '')) {
    throw fieldError(subject === '' ? 'subject' : 'htmlContent', campaignTexts.noWords)
  }
  const date = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: validZone(zone) }).format(now)
  return {
    name: `Quick Send - ${date}`,
    description: '',
    type: 'email',
    template_key: 'quick_send',
    subject,
    body,
    design,
    audience_type: 'abandoned_carts',
    audience_mode: 'matching',
    people: [],
    filters: toStoredFilters(input.filters ?? {}, currency),
    start_date: getToday(zone, now),
    time_of_day: getClock(zone, now),
    frequency: 'once',
    delay_hours: 0,
    spread_hours: null,
  }
}
