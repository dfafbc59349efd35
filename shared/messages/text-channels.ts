import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'

// Providers of an account's SMS and WhatsApp: credentials, senders, templates. Secrets are write-only (Y5).

export const TEMPLATE_VARIABLES = ['customer_name', 'cart_items', 'cart_total', 'checkout_link', 'store_name'] as const

export const textChannelTexts = {
  demo: 'In the demo, SMS and WhatsApp are always sent to the phone sandbox. This cannot be changed.',
  changedMeanwhile: 'Someone else has changed these settings since you opened them. Nothing was saved.',
  notConfigured: 'Nothing is sent this way until its credentials are entered here.',
} as const

/** A number, a messaging service, a short code, or a name with at least one letter. */
const SENDER = /^(\+[1-9]\d{6,14}|MG[0-9a-fA-F]{32}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/

export const isTextSender = (sender: string): boolean => SENDER.test(sender.trim())

/** `country` null: for every country without a sender of its own. */
export const TextSender = z.object({
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'A country code of two letters')
    .nullable(),
  sender: z
    .string()
    .trim()
    .regex(
      SENDER,
      'A number such as +12025550100, a messaging service (MG…), a short code, or a name of up to 11 letters and digits',
    ),
})
export type TextSender = z.infer<typeof TextSender>

export const ListedTemplate = z.object({
  /** The name that messages use. */
  name: z.string(),
  title: z.string(),
  language: z.string(),
  category: z.enum(['marketing', 'utility', 'authentication']),
  status: z.string(),
  text: z.string(),
  buttonUrlPrefix: z.string().nullable(),
  /** Why it cannot be used, as a sentence. */
  problem: z.string().nullable(),
})
export type ListedTemplate = z.infer<typeof ListedTemplate>

const TemplateChoice = z.object({
  name: z.string().min(1).max(512),
  language: z.string().min(2).max(20),
  /** The variables for `{{1}}`, `{{2}}` … */
  variables: z.array(z.enum(TEMPLATE_VARIABLES)).max(20),
})

export const TextChannelView = z.object({
  channel: z.enum(['sms', 'whatsapp']),
  /**
   * `operator`: by this server's own account · `sandbox`: messages go to the built-in phones · `missing`: nothing is
   * sent on this channel.
   */
  state: z.enum(['ready', 'operator', 'sandbox', 'missing']),
  provider: z.enum(['twilio', 'meta']).nullable(),
  isFixed: z.boolean(),
  /** The provider's id of the account; its secrets are stored and never shown. */
  identity: z.object({
    accountSid: z.string().optional(),
    phoneNumberId: z.string().optional(),
    businessAccountId: z.string().optional(),
  }),
  senders: z.array(TextSender),
  /** The provider's response when the credentials were saved. */
  checkAnswer: z.string().nullable(),
  checkedAt: z.string().nullable(),
  /** Webhook addresses to enter at the provider; only for members who may change them. */
  hooks: z.array(z.object({ label: z.string(), value: z.string() })),
  /** Whether the provider can reach this server. */
  isReachable: z.boolean(),
  template: TemplateChoice.nullable(),
  templates: z.array(ListedTemplate),
  templatesAt: z.string().nullable(),
  /** Page of the built-in phones, if messages go there. */
  phoneUrl: z.string().nullable(),
  version: z.number(),
})
export type TextChannelView = z.infer<typeof TextChannelView>

export const readTextChannels = endpoint({
  method: 'GET',
  path: '/api/channels',
  permission: 'stores:read',
  scope: 'account',
  summary: 'How SMS and WhatsApp of the account are set up',
  reply: z.object({ sms: TextChannelView, whatsapp: TextChannelView }),
})

const accountSid = z
  .string()
  .trim()
  .regex(/^AC[0-9a-fA-F]{32}$/, 'AC and 32 digits, from the Twilio console')
/** Empty: keeps the stored one. */
const secret = z.string().trim().max(1_000).default('')
const version = z.number().int().min(0)
const senders = z.array(TextSender).max(50)

export const saveSmsChannel = endpoint({
  method: 'PUT',
  path: '/api/channels/sms',
  permission: 'flows:switch',
  scope: 'account',
  summary: 'Check the credentials with Twilio, then save them',
  body: z.object({
    accountSid,
    authToken: secret,
    senders: senders.min(1, 'Enter at least one sender'),
    version,
  }),
  reply: TextChannelView,
})

const graphId = z
  .string()
  .trim()
  .regex(/^\d{5,25}$/, 'Digits only, from WhatsApp Manager')

export const saveWhatsappChannel = endpoint({
  method: 'PUT',
  path: '/api/channels/whatsapp',
  permission: 'flows:switch',
  scope: 'account',
  summary: 'Check the credentials with Meta or Twilio, then save them',
  body: z.discriminatedUnion('provider', [
    z.object({
      provider: z.literal('meta'),
      phoneNumberId: graphId,
      businessAccountId: graphId,
      accessToken: secret,
      appSecret: secret,
      version,
    }),
    z.object({
      provider: z.literal('twilio'),
      accountSid,
      authToken: secret,
      senders: senders.min(1, 'Enter at least one sender'),
      version,
    }),
  ]),
  reply: TextChannelView,
})

export const chooseWhatsappTemplate = endpoint({
  method: 'PUT',
  path: '/api/channels/whatsapp/template',
  permission: 'flows:switch',
  scope: 'account',
  summary: 'Choose the approved template for reminders, and the values of its variables',
  body: TemplateChoice,
  reply: TextChannelView,
})

export const refreshWhatsappTemplates = endpoint({
  method: 'POST',
  path: '/api/channels/whatsapp/templates',
  permission: 'flows:switch',
  scope: 'account',
  summary: 'Ask the provider for its templates and their approval',
  reply: TextChannelView,
})

export const removeSmsChannel = endpoint({
  method: 'DELETE',
  path: '/api/channels/sms',
  permission: 'flows:switch',
  scope: 'account',
  summary: 'Delete the credentials; nothing more is sent by SMS',
  reply: TextChannelView,
})

export const removeWhatsappChannel = endpoint({
  method: 'DELETE',
  path: '/api/channels/whatsapp',
  permission: 'flows:switch',
  scope: 'account',
  summary: 'Delete the credentials; nothing more is sent by WhatsApp',
  reply: TextChannelView,
})
