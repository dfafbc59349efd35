import { z } from 'zod'

// Validates requests as Twilio's Messages resource does. Pure. It is stricter in one point: it rejects unknown
// parameters, which Twilio ignores, so that misspellings are found.

export interface Refusal {
  status: number
  code: number
  message: string
}

const sid = (prefix: string) => z.string().regex(new RegExp(`^${prefix}[0-9a-fA-F]{32}$`))
const url = z.url({ protocol: /^https?$/ })
const flag = z.enum(['true', 'false', 'True', 'False'])
const number = z.string().regex(/^\d+(\.\d+)?$/)
const createEnum = (...values: string[]) => z.enum(values as [string, ...string[]])

const CreateMessage = z.strictObject({
  To: z.string(),
  From: z.string().optional(),
  MessagingServiceSid: sid('MG').optional(),
  Body: z.string().optional(),
  MediaUrl: url.optional(),
  ContentSid: sid('HX').optional(),
  ContentVariables: z.string().optional(),
  StatusCallback: url.optional(),
  ApplicationSid: sid('AP').optional(),
  MaxPrice: number.optional(),
  ProvideFeedback: flag.optional(),
  Attempt: number.optional(),
  ValidityPeriod: number.optional(),
  ForceDelivery: flag.optional(),
  ContentRetention: createEnum('retain', 'discard').optional(),
  AddressRetention: createEnum('retain', 'obfuscate').optional(),
  SmartEncoded: flag.optional(),
  PersistentAction: z.string().optional(),
  ShortenUrls: flag.optional(),
  ScheduleType: createEnum('fixed').optional(),
  SendAt: z.iso.datetime().optional(),
  SendAsMms: flag.optional(),
  RiskCheck: createEnum('enable', 'disable').optional(),
  FallbackFrom: z.string().optional(),
})

export type TwilioMessage = z.infer<typeof CreateMessage>

/** Twilio's test numbers and their errors (Twilio's page on test credentials). */
const TEST_NUMBERS: Readonly<Record<string, [code: number, words: string]>> = {
  '+15005550001': [21211, "Invalid 'To' Phone Number: +15005550001"],
  '+15005550002': [21612, 'The message cannot be sent with the current combination of To and From'],
  '+15005550003': [21408, 'Permission to send an SMS has not been enabled for the region indicated by the To number'],
  '+15005550004': [21610, 'Attempt to send to unsubscribed recipient'],
  '+15005550009': [21614, "'To' number is not a valid mobile number"],
}

export interface TwilioAccount {
  /** Senders of the account; null: any. */
  senders: readonly string[] | null
  isOptedOut: (phone: string) => boolean
  contentOf: (contentSid: string) => { variables: readonly string[] } | undefined
}

/** Returns the parsed message or the refusal. */
export function evaluateTwilioMessage(
  form: Readonly<Record<string, string>>,
  account: TwilioAccount,
): TwilioMessage | Refusal {
  if (!form.To) return createRefusal(21604, "A 'To' phone number is required.")
  const parsed = CreateMessage.safeParse(form)
  if (!parsed.success) return createRefusal(20001, describeIssue(parsed.error.issues[0]!))
  const message = parsed.data
  return (
    findAddressProblem(message, account) ??
    findContentProblem(message, account) ??
    findRecipientProblem(message, account) ??
    message
  )
}

export const isRefusal = (answer: object): answer is Refusal => 'code' in answer

const createRefusal = (code: number, message: string, status = 400): Refusal => ({ status, code, message })

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `Unknown parameter ${issue.keys.join(', ')}`
  return `Parameter ${issue.path.join('.')} is not valid: ${issue.message}`
}

const PHONE = /^\+[1-9]\d{6,14}$/
const stripChannel = (address: string) => address.replace(/^whatsapp:/, '')

function findAddressProblem({ To, From, MessagingServiceSid }: TwilioMessage, account: TwilioAccount): Refusal | null {
  if (!PHONE.test(stripChannel(To))) return createRefusal(21211, `Invalid 'To' Phone Number: ${To}`)
  if (!From && !MessagingServiceSid) return createRefusal(21603, "A 'From' phone number is required.")
  if (MessagingServiceSid && account.senders && !account.senders.includes(MessagingServiceSid)) {
    return createRefusal(21705, 'The Messaging Service Sid is invalid')
  }
  if (!From) return null
  const isWhatsApp = To.startsWith('whatsapp:')
  if (isWhatsApp !== From.startsWith('whatsapp:')) {
    return createRefusal(63007, 'Twilio could not find a Channel with the specified From address')
  }
  if (!PHONE.test(stripChannel(From)) && !/^(?=.*[a-z])[a-z0-9 ]{1,11}$|^\d{3,8}$/i.test(From)) {
    return createRefusal(21212, `Invalid From Number (caller ID): ${From}`)
  }
  if (account.senders && !account.senders.includes(From)) {
    return createRefusal(21659, `${From} is not a Twilio phone number or Short Code country mismatch`)
  }
  // Alphanumeric senders do not exist in North America.
  if (/[a-z]/i.test(stripChannel(From)) && To.startsWith('+1')) {
    return createRefusal(21612, 'The message cannot be sent with the current combination of To and From')
  }
  return stripChannel(To) === stripChannel(From)
    ? createRefusal(21266, "'To' and 'From' number cannot be the same")
    : null
}

function findContentProblem(message: TwilioMessage, account: TwilioAccount): Refusal | null {
  const { Body, MediaUrl, ContentSid, ContentVariables } = message
  if (!Body && !MediaUrl && !ContentSid) return createRefusal(21602, 'Message body is required.')
  if (Body && Body.length > 1_600) {
    return createRefusal(21617, 'The concatenated message body exceeds the 1600 character limit.')
  }
  if (!ContentSid) return null
  const content = account.contentOf(ContentSid)
  if (!content) return createRefusal(21655, 'The ContentSid is Invalid')
  return areVariablesValid(ContentVariables, content.variables)
    ? null
    : createRefusal(21656, 'The ContentVariables Parameter is invalid')
}

/** Requires a JSON object with exactly the template's placeholders; WhatsApp rejects empty values and line breaks. */
function areVariablesValid(json: string | undefined, requested: readonly string[]): boolean {
  try {
    const variables = z.record(z.string(), z.string().regex(/^[^\n\t]+$/)).parse(JSON.parse(json ?? '{}'))
    return Object.keys(variables).sort().join() === [...requested].sort().join()
  } catch {
    return false
  }
}

function findRecipientProblem({ To }: TwilioMessage, account: TwilioAccount): Refusal | null {
  const magic = TEST_NUMBERS[stripChannel(To)]
  if (magic) return createRefusal(...magic)
  if (To.startsWith('whatsapp:')) return null
  return account.isOptedOut(To) ? createRefusal(21610, 'Attempt to send to unsubscribed recipient') : null
}
