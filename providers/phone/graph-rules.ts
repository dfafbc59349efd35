import { z } from 'zod'

// Validates messages as WhatsApp's Cloud API does. Pure. Covers templates, and text within 24 hours of the customer's
// last message.

export interface GraphRefusal {
  status: number
  code: number
  message: string
  details: string
}

export interface WhatsAppTemplate {
  id: string
  name: string
  language: string
  category: 'MARKETING' | 'UTILITY' | 'AUTHENTICATION'
  status: 'APPROVED' | 'PENDING' | 'REJECTED' | 'PAUSED' | 'DISABLED'
  body: string
  footer?: string
  /** A URL button. A trailing `{{1}}` is replaced by the rest of the address. */
  button?: { text: string; url: string }
}

const text = z.string().min(1).max(32_768)
const Parameter = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text, parameter_name: z.string().optional() }),
  z.strictObject({ type: z.literal('payload'), payload: z.string().min(1) }),
  z.strictObject({ type: z.literal('image'), image: z.object({}).loose() }),
])
const SUB_TYPES = [
  'quick_reply',
  'url',
  'catalog',
  'flow',
  'copy_code',
  'mpm',
  'order_details',
  'voice_call',
  'otp',
] as const
const Component = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['header', 'body']), parameters: z.array(Parameter).optional() }),
  z.strictObject({
    type: z.literal('button'),
    sub_type: z.enum(SUB_TYPES),
    index: z.union([z.string().regex(/^\d$/), z.number().int().min(0).max(9)]),
    parameters: z.array(Parameter).optional(),
  }),
])
const envelope = {
  messaging_product: z.literal('whatsapp'),
  recipient_type: z.enum(['individual', 'group']).optional(),
  to: z.string().min(1),
  context: z.strictObject({ message_id: z.string() }).optional(),
  biz_opaque_callback_data: z.string().max(512).optional(),
}
const Message = z.discriminatedUnion('type', [
  z.strictObject({
    ...envelope,
    type: z.literal('text'),
    text: z.strictObject({ body: z.string().min(1).max(4_096), preview_url: z.boolean().optional() }),
  }),
  z.strictObject({
    ...envelope,
    type: z.literal('template'),
    template: z.strictObject({
      name: z.string().regex(/^[a-z0-9_]{1,512}$/),
      language: z.strictObject({ code: z.string().min(2), policy: z.literal('deterministic').optional() }),
      components: z.array(Component).optional(),
    }),
  }),
])
export type GraphMessage = z.infer<typeof Message>

/** Accepts text outside the 24 hours; like the real API it fails later by a callback (131047). */
export function evaluateGraphMessage(
  body: unknown,
  templates: readonly WhatsAppTemplate[],
): GraphMessage | GraphRefusal {
  const parsed = Message.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return createRefusal(100, 'Invalid parameter', `${issue!.path.join('.')}: ${issue!.message}`)
  }
  const message = parsed.data
  if (!/^\+?[1-9]\d{6,14}$/.test(message.to)) {
    return createRefusal(100, 'Invalid parameter', `to: ${message.to} is not a phone number`)
  }
  if (message.type === 'template') return findTemplateProblem(message.template, templates) ?? message
  return message
}

export const isGraphRefusal = (answer: object): answer is GraphRefusal => 'code' in answer

const createRefusal = (code: number, message: string, details: string, status = 400): GraphRefusal => ({
  status,
  code,
  message,
  details,
})

type Template = Extract<GraphMessage, { type: 'template' }>['template']

function findTemplateProblem(template: Template, templates: readonly WhatsAppTemplate[]): GraphRefusal | null {
  const existing = templates.find(({ name, language }) => name === template.name && language === template.language.code)
  if (!existing || existing.status === 'PENDING' || existing.status === 'REJECTED') {
    const details = `template name (${template.name}) does not exist in ${template.language.code}`
    return createRefusal(132001, 'Template name does not exist in the translation', details, 404)
  }
  if (existing.status === 'PAUSED') return createRefusal(132015, 'Template is Paused', 'low quality')
  if (existing.status === 'DISABLED') return createRefusal(132016, 'Template is Disabled', 'low quality')
  const parameters = template.components?.find(({ type }) => type === 'body')?.parameters ?? []
  const expected = countPlaceholders(existing.body)
  if (parameters.length !== expected) {
    const details = `body: number of localizable_params (${parameters.length}) does not match the expected number of params (${expected})`
    return createRefusal(132000, 'Number of parameters does not match the expected number of params', details)
  }
  if (parameters.some((each) => each.type === 'text' && /[\n\t]| {5}/.test(each.text))) {
    const details = 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces'
    return createRefusal(100, 'Invalid parameter', details)
  }
  return findButtonProblem(template, existing)
}

function findButtonProblem(template: Template, existing: WhatsAppTemplate): GraphRefusal | null {
  const expected = countPlaceholders(existing.button?.url ?? '')
  const button = template.components?.find(({ type }) => type === 'button')
  const parameters = button?.parameters?.filter(({ type }) => type === 'text').length ?? 0
  if (expected > parameters)
    return createRefusal(131008, 'Required parameter is missing', 'Button at index 0 of type Url requires a parameter')
  return parameters > expected
    ? createRefusal(132018, 'Template parameters are not valid', 'Button at index 0 takes no parameter')
    : null
}

export const countPlaceholders = (template: string): number =>
  new Set([...template.matchAll(/\{\{(\d+)\}\}/g)].map(([, place]) => place)).size

/** The template's text as displayed to the customer. */
export function fillTemplate(existing: WhatsAppTemplate, template: Template): { body: string; url: string | null } {
  const readTexts = (type: 'body' | 'button') =>
    (template.components?.find((each) => each.type === type)?.parameters ?? []).map((each) =>
      each.type === 'text' ? each.text : '',
    )
  const [texts, suffix] = [readTexts('body'), readTexts('button')[0] ?? '']
  const body = existing.body.replace(/\{\{(\d+)\}\}/g, (_, place: string) => texts[Number(place) - 1] ?? '')
  return {
    body: existing.footer ? `${body}\n\n${existing.footer}` : body,
    url: existing.button ? existing.button.url.replace(/\{\{1\}\}/, () => suffix) : null,
  }
}
