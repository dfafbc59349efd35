import PostalMime, { type Email } from 'postal-mime'
import {
  type BounceKind,
  chooseStatus,
  classifyBounce,
  parseStatus,
  removeAddresses,
} from '../../messages/channels/public.ts'

// Parses mail sent to a return address: a delivery status report (RFC 3464), a spam report (RFC 5965) or free text of
// an old server. The return address identifies the message; the content is untrusted and parsed leniently.

export interface MailReportNews {
  kind: BounceKind | 'delivered' | 'complaint'
  source: 'dsn' | 'arf'
  /** Enhanced status code. */
  status: string | null
  /** One line, without addresses. */
  words: string
}

/** More than any report needs; the rest is ignored. */
const READ_BYTES = 512 * 1024
/** Bounds the parser, which works by line. The reason of a bounce precedes the returned mail. */
const READ_LINES = 3_000
const READ_TEXT = 20_000

/** null: not a report, for example a vacation reply. Never throws because of the content. */
export async function readMailNews(raw: Buffer): Promise<MailReportNews | null> {
  const mail = await parse(firstLines(raw.subarray(0, READ_BYTES)))
  if (!mail) return null
  const complaint = findPart(mail, 'message/feedback-report')
  if (complaint !== null) return readComplaint(complaint)
  const report = findPart(mail, 'message/delivery-status') ?? findPart(mail, 'message/global-delivery-status')
  if (report !== null) return readReport(report, extractProse(mail))
  return readProse(mail)
}

function firstLines(raw: Buffer): Buffer {
  let end = -1
  for (let line = 0; line < READ_LINES; line++) {
    end = raw.indexOf('\n', end + 1)
    if (end < 0) return raw
  }
  return raw.subarray(0, end)
}

async function parse(raw: Buffer): Promise<Email | null> {
  try {
    return await PostalMime.parse(raw, { forceRfc822Attachments: true, maxNestingDepth: 8, maxHeadersSize: 64 * 1024 })
  } catch {
    return null
  }
}

function findPart({ attachments }: Email, type: string): string | null {
  const part = attachments.find(({ mimeType }) => mimeType?.toLowerCase() === type)
  if (!part) return null
  const { content } = part
  return (typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString('utf8')).slice(
    0,
    64 * 1024,
  )
}

function readComplaint(report: string): MailReportNews | null {
  const type = parseFields(report)['feedback-type'] ?? ''
  if (!/^(abuse|fraud|opt-out|other)$/i.test(type.trim())) return null
  return { kind: 'complaint', source: 'arf', status: null, words: removeAddresses(`Feedback-Type: ${type}`) }
}

function readReport(report: string, prose: string): MailReportNews | null {
  const blocks = report.split(/\r?\n[ \t]*\r?\n/).map(parseFields)
  const about = blocks.filter((block) => block.action || block.status || block['diagnostic-code'])
  const block = about.find(({ action }) => /failed/i.test(action ?? '')) ?? about[0]
  if (!block) return null
  const diagnostic = (block['diagnostic-code'] ?? '').replace(/^[\w-]{1,20};\s*/, '')
  const status = chooseStatus(parseStatus(block.status ?? ''), parseStatus(diagnostic))
  const text = removeAddresses(diagnostic || prose)
  const action = (block.action ?? '').trim().toLowerCase()
  if (action === 'delivered') return { kind: 'delivered', source: 'dsn', status, words: text }
  if (action === 'relayed' || action === 'expanded') return null
  const kind = action === 'delayed' ? 'soft' : classifyBounce(status, diagnostic || prose)
  return { kind, source: 'dsn', status, words: text }
}

/** Parses the free text that qmail, old Exchange, old Exim and webmail providers send instead of a report. */
function readProse(mail: Email): MailReportNews | null {
  const sender = mail.from?.address ?? ''
  const subject = mail.subject ?? ''
  const isFromServer = /^(mailer-daemon|postmaster|mail-?daemon|bounces?)@/i.test(sender) || sender === ''
  const prose = extractProse(mail)
  // Many servers mark bounces as automatic replies too.
  const isFailure = isFromServer && UNDELIVERED.test(`${subject}\n${prose}`)
  if (isAutomaticAnswer(mail) && !isFailure) return null
  if (!(isFromServer || UNDELIVERED.test(subject))) return null
  if (DELAYED.test(`${subject}\n${prose}`))
    return { kind: 'soft', source: 'dsn', status: null, words: shortenProse(prose) }
  const status = parseStatus(prose)
  if (!status && !UNDELIVERED.test(`${subject}\n${prose}`)) return null
  const text = shortenProse(status ? prose.slice(Math.max(0, prose.search(/\b[45]\.?\d/) - 80)) : prose)
  return { kind: classifyBounce(status, prose), source: 'dsn', status, words: text }
}

const UNDELIVERED =
  /undeliver|delivery (has )?(status|fail)|(could not|couldn.t|wasn.t able to) be? ?deliver|not be delivered|returned mail|returned to sender|failure notice|mail (system )?(delivery )?(error|fail)|address not found|message not delivered/i
const DELAYED =
  /delivery (is |has been |incomplete|status notification \(delay\))?delay|still (being )?retr|will (keep|continue) (on )?trying|not yet been delivered|warning: could not send/i

function isAutomaticAnswer({ headers, subject = '' }: Email): boolean {
  const value = (name: string) => headers.find(({ key }) => key === name)?.value ?? ''
  return (
    /auto-replied/i.test(value('auto-submitted')) ||
    value('x-autoreply') !== '' ||
    value('x-autorespond') !== '' ||
    /out of (the )?office|automatic reply|auto(matic)?[- ]?(reply|response)|vacation|abwesen|absence/i.test(subject)
  )
}

/** Cuts off the returned mail that is often quoted below. */
function extractProse({ text, html }: Email): string {
  const prose = text || (html ?? '').slice(0, READ_TEXT * 4).replace(/<[^<>]*>/g, ' ')
  const end = prose.search(
    /(?<!-)-{2,} ?(this is a copy|below this line|original message|the following|returned message)|original message headers/i,
  )
  return prose.slice(0, end >= 0 ? end : undefined).slice(0, READ_TEXT)
}

const shortenProse = (prose: string): string => removeAddresses(prose.slice(0, 1_000)).slice(0, 300)

/** Parses unfolded fields; the first of repeated ones counts. */
function parseFields(block: string): Record<string, string | undefined> {
  const fields: Record<string, string | undefined> = Object.create(null)
  for (const line of block
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .slice(0, 200)) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon))
    if (/^[\w-]{1,60}$/.test(name)) fields[name.toLowerCase()] ??= line.slice(colon + 1).trimStart()
  }
  return fields
}
