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
    text: 'More than 0.3% of its recipients reported it as spam. Change whom it is for, or what it says, before you resume it.',
    isByPlan: false,
  },
  plan: {
    short: 'Not part of your plan any more',
    title: 'Paused: your plan does not include it any more',
    text: 'A run was due and did not begin. Play resumes the campaign once your plan includes it.',
    isByPlan: true,
  },
  payment: {
    short: 'Your payment is overdue',
    title: 'Paused: your payment is overdue',
    text: 'A run was due and did not begin. Play resumes the campaign once the payment is made.',
    isByPlan: true,
  },
  cart_words: {
    short: 'Speaks of a cart to customers without one',
    title: 'Paused: it speaks of a cart',
    text: `A run was due and did not begin. ${campaignTexts.cartWords} Then press Play.`,
    isByPlan: false,
  },
  own_words: {
    short: 'Put off: a new account can send only so much custom text a day',
    title: 'Its run was put off',
    text: 'A new account can send only so many emails with custom text in 24 hours; the limit rises after a day, a week and a month. The run is tried again by itself. With the default text it can begin at once.',
    isByPlan: false,
  },
}
