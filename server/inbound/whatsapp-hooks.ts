import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { DeliveryReport } from '../channels/channel.ts'
import { isSameSecret } from '../core/secrets.ts'
import type { InboundMessage } from './twilio-hooks.ts'

// What Meta posts. Pure. Read leniently: kinds of news we do not know are left aside, and new fields are no fault.

/** X-Hub-Signature-256 is over the raw bytes, by the app's secret. */
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
const Message = z.object({
  id: z.string(),
  from: z.string().regex(/^\d{6,15}$/),
  timestamp: z.string().regex(/^\d{1,12}$/),
  text: z.object({ body: z.string() }).optional(),
  button: z.object({ text: z.string() }).optional(),
  interactive: z.object({ button_reply: z.object({ title: z.string() }).optional() }).optional(),
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

/** Of this phone number only: an app may report those of several to one address. */
export function readMetaNews(rawBody: Buffer, phoneNumberId: string): MetaNews {
  const envelope = Envelope.safeParse(parsed(rawBody))
  const values = (envelope.data?.entry ?? [])
    .flatMap(({ changes }) => changes)
    .filter(({ field, value }) => field === 'messages' && value.metadata?.phone_number_id === phoneNumberId)
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
    messages: known(
      Message,
      values.flatMap(({ messages }) => messages ?? []),
    ).map((message) => ({
      id: message.id,
      from: `+${message.from}`,
      text: message.text?.body ?? message.button?.text ?? message.interactive?.button_reply?.title ?? '',
      at: instantOf(message.timestamp),
      isAnswered: false,
    })),
  }
}

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
