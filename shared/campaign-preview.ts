import { z } from 'zod'
import { endpoint, storeQuery } from './endpoint.ts'
import { StepCoupon } from './flows.ts'
import { MessagePreview, PreviewCart, SendChannel } from './reminders.ts'

/** The words of a campaign before they are saved (area decision 44). WhatsApp shows its approved template. */
export const previewCampaign = endpoint({
  method: 'POST',
  path: '/api/campaigns/preview',
  permission: 'carts:read',
  scope: 'store',
  query: storeQuery,
  summary: 'The words and coupon of a campaign for a real cart, or the sample cart, by the code that sends',
  body: z.object({
    type: SendChannel.default('email'),
    cartId: PreviewCart,
    subject: z.string().max(200).optional(),
    body: z.string().max(50_000).optional(),
    coupon: StepCoupon.nullable().default(null),
  }),
  reply: MessagePreview,
})
