import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { isSameSecret } from '../../core/common/secrets.ts'
import type { DeliveryReport } from '../../messages/channels/channel.ts'
import type { InboundMessage } from './twilio-hooks.ts'

// Parses Meta's webhook calls. Pure. Lenient: unknown kinds of events and new fields are ignored.

/** Checks X-Hub-Signature-256, an HMAC of the raw body with the app's secret. */
export function isFromMeta(appSecret: string, rawBody: Buffer, signature: string): boolean {
  return isSameSecret(signature, `sha256=${createHmac('sha256', appSecret).update(rawBody).digest('hex')}`)
}

const Status = z.object({
  id: z.string(),
  status: z.enum(['sent', 'delivered', 'read', 'failed']),
  timestamp: z.string().regex(/^\d{1,12}$/),
  biz_opaque_callback_data: z.string().optional(),
  errors: z.array(z.object({ code: z.number() })).optional(),
})
const Chosen = z.object({ title: z.string() })
const Message = z.object({
  id: z.string(),
  from: z.string().regex(/^\d{6,15}$/),
  timestamp: z.string().regex(/^\d{1,12}$/),
  text: z.object({ body: z.string() }).optional(),
  button: z.object({ text: z.string() }).optional(),
  interactive: z.object({ button_reply: Chosen.optional(), list_reply: Chosen.optional() }).optional(),
})
/** The shopper's marketing preference in WhatsApp. */
const Preference = z.object({
  wa_id: z.string().regex(/^\d{6,15}$/),
  category: z.literal('marketing_messages'),
  value: z.enum(['stop', 'resume']),
  timestamp: z.coerce.string().regex(/^\d{1,12}$/),
})
const Envelope = z.object({
  entry: z.array(
    z.object({
      changes: z.array(
        z.object({
          field: z.string(),
          value: z.object({
            metadata: z.object({ phone_number_id: z.string() }).optional(),
            statuses: z.array(z.unknown()).optional(),
            messages: z.array(z.unknown()).optional(),
            user_preferences: z.array(z.unknown()).optional(),
          }),
        }),
      ),
    }),
  ),
})

export interface MetaNews {
  statuses: (Pick<DeliveryReport, 'providerId' | 'status' | 'code' | 'at'> & { messageId: string | null })[]
  messages: InboundMessage[]
}

const FIELDS = ['messages', 'user_preferences']

/** Reads only events of this phone number: an app may report several numbers to one URL. */
export function readMetaNews(rawBody: Buffer, phoneNumberId: string): MetaNews {
  const envelope = Envelope.safeParse(parsed(rawBody))
  const values = (envelope.data?.entry ?? [])
    .flatMap(({ changes }) => changes)
    .filter(({ field, value }) => FIELDS.includes(field) && value.metadata?.phone_number_id === phoneNumberId)
    .map(({ value }) => value)
  return {
    statuses: known(
      Status,
      values.flatMap(({ statuses }) => statuses ?? []),
    ).map((status) => ({
      providerId: status.id,
      status: status.status,
      code: status.errors?.[0] ? String(status.errors[0].code) : null,
      at: instantOf(status.timestamp),
      messageId: status.biz_opaque_callback_data ?? null,
    })),
    messages: [
      ...known(
        Message,
        values.flatMap(({ messages }) => messages ?? []),
      ).map(readMessage),
      ...known(
        Preference,
        values.flatMap((value) => value.user_preferences ?? []),
      ).map(readPreference),
    ],
  }
}

const readMessage = ({ id, from, timestamp, text, button, interactive }: z.output<typeof Message>): InboundMessage => ({
  id,
  from: `+${from}`,
  text: text?.body ?? button?.text ?? interactive?.button_reply?.title ?? interactive?.list_reply?.title ?? '',
  at: instantOf(timestamp),
  isAnswered: false,
})

/** WhatsApp has already confirmed the change to the shopper, so `isAnswered` is true. */
const readPreference = ({ wa_id: from, value, timestamp }: z.output<typeof Preference>): InboundMessage => ({
  id: `preference:${from}:${timestamp}:${value}`,
  from: `+${from}`,
  text: '',
  at: instantOf(timestamp),
  isAnswered: true,
  isSetting: true,
  keyword: value === 'stop' ? 'stop' : 'start',
})

const instantOf = (seconds: string) => new Date(Number(seconds) * 1_000)

function known<Shape extends z.ZodType>(shape: Shape, rows: readonly unknown[]): z.output<Shape>[] {
  return rows.flatMap((row) => {
    const read = shape.safeParse(row)
    return read.success ? [read.data] : []
  })
}

function parsed(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'))
  } catch {
    return null
  }
}
