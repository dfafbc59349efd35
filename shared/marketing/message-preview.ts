import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { MessagePreview, NO_CART, PreviewCart, SendChannel, TestReply } from '../delivery/reminders.ts'
import { MailDocumentSchema } from '../messages/mail-document.ts'
import { StepCoupon } from './flows.ts'

// Preview of a message, and a test to oneself.

/** What the message is based on; missing: the text of the request. */
const fields = {
  channel: SendChannel,
  templateId: z.uuid().optional(),
  subject: z.string().max(200).optional(),
  body: z.string().max(50_000).optional(),
  /** The email as a document, instead of subject and body. */
  design: MailDocumentSchema.nullable().optional(),
  /** Shown with its shared code or an example of a personal one: no code is created. */
  coupon: StepCoupon.nullable().optional(),
}

export const previewMessage = endpoint({
  method: 'POST',
  path: '/api/messages/preview',
  permission: 'carts:read',
  scope: 'store',
  query: storeQuery,
  summary: 'Preview a message for a real cart, the sample cart (`sample`) or no cart (`none`), with the send decision',
  body: z.object({
    cartId: z.union([PreviewCart, z.literal(NO_CART)]),
    ...fields,
    channel: z.enum([...SendChannel.options, 'push']),
  }),
  reply: MessagePreview,
})

export const testSend = endpoint({
  method: 'POST',
  path: '/api/messages/test-send',
  permission: 'carts:write',
  scope: 'store',
  query: storeQuery,
  summary:
    'Send yourself a test message for a real cart or the sample cart; its links change nothing, and it is not counted',
  body: z.object({
    cartId: PreviewCart,
    /** The member's phone number, for SMS and WhatsApp. Email goes to the sign-in address. */
    to: z.string().max(40).optional(),
    ...fields,
  }),
  reply: TestReply,
})
