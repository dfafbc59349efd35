import { type CampaignView, campaignTexts } from '../../../shared/marketing/campaigns.ts'

// Explains why a campaign does not run. Pure.

export interface Standstill {
  /** Text of the list. */
  short: string
  /** Text of the page. */
  title: string
  text: string
  /** Whether a larger plan or a payment would start it again. */
  isByPlan: boolean
}

/** Why a campaign stopped without a member pausing it; null if it runs or a member paused it. */
export const findStandstill = ({
  status,
  pausedBy,
  putOffBy,
}: Pick<CampaignView, 'status' | 'pausedBy' | 'putOffBy'>): Standstill | null => {
  if (status === 'paused') return pausedBy && standstills[pausedBy]
  return putOffBy && standstills[putOffBy]
}

const standstills: Record<NonNullable<CampaignView['pausedBy'] | CampaignView['putOffBy']>, Standstill> = {
  // Area decision 50.
  bounces: {
    short: 'Too many emails bounced',
    title: 'Paused to protect your sender',
    text: 'More than 5% of its emails bounced. Check where these addresses come from before you resume it.',
    isByPlan: false,
  },
  complaints: {
    short: 'Too many spam complaints',
    title: 'Paused to protect your sender',
    text: 'More than 0.3% of its recipients reported it as spam. Check the text and the audience before you resume it.',
    isByPlan: false,
  },
  plan: {
    short: 'No longer in your plan',
    title: 'Paused: no longer in your plan',
    text: 'A run did not start because your plan no longer includes it. Upgrade, then resume the campaign with Play.',
    isByPlan: true,
  },
  payment: {
    short: 'Your payment is overdue',
    title: 'Paused: your payment is overdue',
    text: 'A run did not start because your last payment is overdue. Pay it, then resume the campaign with Play.',
    isByPlan: true,
  },
  cart_words: {
    short: 'Mentions a cart to customers without one',
    title: 'Paused: it mentions a cart',
    text: `A run did not start. ${campaignTexts.cartWords} Then press Play.`,
    isByPlan: false,
  },
  own_words: {
    short: 'Postponed: new accounts have a daily limit on custom text',
    title: 'Its run was postponed',
    text: 'New accounts have a daily limit on emails with custom text, which rises after a day, a week and a month. The run is retried automatically. With the default text it can start now.',
    isByPlan: false,
  },
}
