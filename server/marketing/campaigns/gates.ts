import type { Feature } from '../../../shared/billing/billing.ts'
import { pushTexts } from '../../../shared/delivery/push.ts'
import { explain } from '../../../shared/delivery/reasons.ts'
import { type CampaignType, campaignTexts, hasCartVariable } from '../../../shared/marketing/campaigns.ts'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import { assertMayMail } from '../../access/members/public.ts'
import type { StoreRow } from '../../access/stores/public.ts'
import { hasFeature, loadEntitlements, requireFeature } from '../../billing/billing/public.ts'
import { AppError } from '../../core/common/public.ts'
import type { AccountDb, StoreDb } from '../../core/db/public.ts'
import type { StoredFilters } from '../../core/schema/public.ts'
import { findCurrentKey } from '../../delivery/push/public.ts'
import type { Deps } from '../../deps.ts'
import { CAMPAIGN_TEMPLATES, QUICK_SEND_TEMPLATES } from '../../messages/templates/public.ts'
import { isFiltered } from '../audiences/public.ts'
import { listMissingForMail, listMissingForSending } from '../flows/public.ts'
import { fieldError, type StoredInput } from './campaign-input.ts'

// Preconditions for creating or sending a campaign: the plan (decisions 6, 43 and 124), a configured
// sender, and text that fits the audience (decision 42).

export interface PlanRequirement {
  type: CampaignType
  filters: StoredFilters
  /** A later start, or more than one run. */
  isPlanned: boolean
}

export async function assertPlanAllows(
  deps: Pick<Deps, 'now'>,
  account: AccountDb,
  requirement: PlanRequirement,
): Promise<void> {
  for (const [feature, sentence] of requiredFeatures(requirement)) {
    await requireFeature(account, deps.now(), { feature, sentence })
  }
}

/** Repeats the checks of creation for a due run; null: no blocker. */
export async function findBlocker(
  account: AccountDb,
  now: Date,
  requirement: PlanRequirement,
): Promise<'plan' | 'payment' | null> {
  const entitlements = await loadEntitlements(account, now)
  if (entitlements.whyNot === 'payment_overdue') return 'payment'
  const hasAll = requiredFeatures(requirement).every(([feature]) => hasFeature(entitlements, feature))
  return entitlements.maySend && hasAll ? null : 'plan'
}

function requiredFeatures({ type, filters, isPlanned }: PlanRequirement): [Feature, string][] {
  return [
    ...(type === 'sms' ? [['manual_texts', campaignTexts.smsPlan] as [Feature, string]] : []),
    ...(type === 'whatsapp' ? [['campaign_texts', campaignTexts.whatsappPlan] as [Feature, string]] : []),
    ...(type === 'sms' && isPlanned ? [['campaign_texts', campaignTexts.plannedSmsPlan] as [Feature, string]] : []),
    ...(isPlanned ? [['scheduled_campaigns', campaignTexts.scheduledPlan] as [Feature, string]] : []),
    ...(isFiltered(filters) ? [['audience_filters', campaignTexts.filterPlan] as [Feature, string]] : []),
  ]
}

/** The same checks as when a flow is activated. */
export async function assertSenderReady(
  deps: Pick<Deps, 'channels' | 'config'>,
  { account, store }: { account: AccountDb; store: StoreDb },
  row: StoreRow,
  type: CampaignType,
): Promise<void> {
  if (type === 'email') return assertMail(deps, account, row)
  if (type === 'push') return assertPush({ account, store }, row)
  const channel = await deps.channels.text(row.account_id, type)
  if (!channel) throw new AppError('unprocessable', explain(`${type}_not_configured`))
  if (type === 'whatsapp' && channel.template === null) throw new AppError('unprocessable', explain('template_missing'))
}

async function assertPush({ account, store }: { account: AccountDb; store: StoreDb }, row: StoreRow): Promise<void> {
  if (!capabilities[row.platform].pushHost) throw new AppError('unprocessable', pushTexts.noHost)
  if (!(await findCurrentKey(store))) throw new AppError('unprocessable', explain('push_not_configured'))
  await assertMayMail(account)
}

async function assertMail(deps: Pick<Deps, 'config'>, account: AccountDb, row: StoreRow): Promise<void> {
  const byMail = [{ channel: 'email' as const }]
  const missing = [...listMissingForSending(row), ...(await listMissingForMail(deps, account, byMail))]
  if (missing.length > 0) throw new AppError('unprocessable', missing.join(' '))
  await assertMayMail(account)
}

type CampaignText = Pick<StoredInput, 'audience_type' | 'type' | 'template_key' | 'subject' | 'body'>

const remindersOfCarts = [...CAMPAIGN_TEMPLATES, ...QUICK_SEND_TEMPLATES].filter(({ body }) => body !== '')

const mentionsCart = ({ template_key, subject, body }: CampaignText): boolean =>
  remindersOfCarts.some((each) => each.id === template_key || each.subject === subject || each.body === body) ||
  hasCartVariable(`${subject} ${body}`)

/** The field and the error message; null: the campaign mentions no cart, or its audience always has one. */
export async function findCartWording(
  deps: Pick<Deps, 'channels'>,
  accountId: string,
  campaign: CampaignText,
): Promise<{ field: string; text: string } | null> {
  if (campaign.audience_type !== 'specific_customers') return null
  if (campaign.type !== 'whatsapp') {
    return mentionsCart(campaign) ? { field: 'content.body', text: campaignTexts.cartWords } : null
  }
  const template = (await deps.channels.text(accountId, 'whatsapp'))?.template
  const isFilled = template && (template.buttonUrlPrefix !== null || template.variables.some(hasCartVariable))
  return isFilled ? { field: 'type', text: campaignTexts.cartTemplate } : null
}

export async function rejectCartWording(
  deps: Pick<Deps, 'channels'>,
  accountId: string,
  campaign: CampaignText,
): Promise<void> {
  const found = await findCartWording(deps, accountId, campaign)
  if (found) throw fieldError(found.field, found.text)
}
