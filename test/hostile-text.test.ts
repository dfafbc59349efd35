import { describe, expect, test } from 'vitest'
import { describeDevice } from '../server/access/members/device.ts'
import { isStoreOrigin, readContact, readName } from '../server/carts/capture/capture-rules.ts'
import { clientKind } from '../server/delivery/engagement/classify.ts'
import { parseKeyword } from '../server/delivery/inbound/keywords.ts'
import { readMailNews } from '../server/delivery/mail-reports/dsn.ts'
import { detectLanguage } from '../server/delivery/preferences/rules.ts'
import { guessMapping, parseDate } from '../server/marketing/ledger/import-rules.ts'
import { classifyBounce, parseStatus, removeAddresses } from '../server/messages/channels/bounce-rules.ts'
import { countPlaceholders } from '../server/messages/channels/templates.ts'
import { cleanText, parseWebAddress as linkAddress } from '../server/messages/templates/context.ts'
import { sanitizeHtml } from '../server/messages/templates/draft.ts'
import { runJob } from '../server/messages/templates/job.ts'
import { openTemplate } from '../server/messages/templates/open-template.ts'
import { createTemplateRenderer } from '../server/messages/templates/render.ts'
import { isOnlyTags, listTags, splitLiquid, tidyLines } from '../server/messages/templates/scan.ts'
import { parseGmt, parseWebAddress, removeSecrets, toPlainText } from '../server/platforms/platform/text.ts'
import { normalizePrefix, readAddress } from '../server/shoppers/suppressions/rules.ts'
import { normalizeStoreUrl } from '../shared/access/store-problems.ts'
import { findSettingProblems } from '../shared/access/store-settings.ts'
import { normalizeEmail, normalizePhone } from '../shared/core/contact.ts'
import { formatCsvCell } from '../shared/core/csv.ts'
import { parseMinor } from '../shared/core/money.ts'
import { measureSms, toGsm } from '../shared/messages/sms.ts'
import { measureAsyncCpuMs, measureCpuMs } from './cpu.ts'

// Text sent to this server, at its maximum length and written to be slow. Each function has 50 ms of CPU time.

const LIMIT_MS = 50
const MAIL_LIMIT_MS = 200
const MESSAGE_LIMIT_MS = 1_000
const KB = 1_024

/** Repeated parts: characters that parsers look for, and near misses. */
const PARTS = [
  'a',
  ' ',
  '\t',
  '\n',
  '\r\n',
  '.',
  '-',
  '_',
  '@',
  '/',
  '<',
  '>',
  '"',
  "'",
  '&',
  ';',
  '=',
  '%',
  '{',
  '(',
  '[',
  '+',
  '0',
  '\0',
  'é',
  '\u00a0',
  '\u202e',
  '\ufdfa',
  '😀',
  '\ud800',
  'a.',
  'a@',
  '@a.',
  '-a',
  '. ',
  ' \n',
  '\n\n',
  '--',
  '0.',
  '5.',
  ...[
    '<a ',
    '<a href="',
    '</a',
    '<!--',
    '<p>',
    '<p ',
    '<script>',
    '&amp',
    '&lt;',
    '&#x',
    'http://',
    'https://a.b/.',
    '://',
  ],
  '{{',
  '{%',
  '{%a%} ',
  '{{a}}',
  '%}',
  '{{ a | a: ',
  '{% if a %}',
  '(1..',
  'mailbox full',
  'user unknown ',
  '5.1.1 ',
  'a@a.a ',
  'snapchat',
  'Mozilla/5.0 (',
  'cfnetwork',
  'consent',
  'oauth_a',
  'STOP ',
  '+49 ',
]
const ENDS = ['', 'x', '>', '\0']

function* generateTexts(length: number, ends = ENDS): Generator<string> {
  for (const part of PARTS)
    for (const end of ends) yield part.repeat(Math.ceil(length / part.length)).slice(0, length - end.length) + end
}

/** Allows for slow machines: with backtracking, four times the text takes sixteen times as long. */
function isLinear(ms: number, text: string, read: (text: string) => unknown): boolean {
  return ms <= 4 * LIMIT_MS && ms <= 8 * measureCpuMs(0, () => read(text.slice(-text.length / 4)))
}

const button = { inline: '', block: '' }
const rules = {
  link: (url: string) => linkAddress(url),
  isImageAllowed: () => true,
  linkText: (url: string) => url,
  button,
}
const mapping = (name: string) => guessMapping([name], [[name]], 'US')

/** Each parser with the longest text that reaches it. */
const readers: [string, number, (text: string) => unknown][] = [
  ['an email address', 320, normalizeEmail],
  ['a phone number', 40, (text) => normalizePhone(text, 'DE')],
  ['a searched address', 254, (text) => [readAddress(text, ['DE', 'US']), normalizePrefix(text)]],
  ['a store’s address', 2 * KB, (text) => normalizeStoreUrl('woocommerce', text)],
  ['a sender address', 254, (text) => findSettingProblems({ senderEmail: text })],
  [
    'a contact typed at a checkout',
    16 * KB,
    (text) => readContact({ email: text, phone: text, firstName: text, lastName: text, country: text }),
  ],
  ['a name', 16 * KB, readName],
  ['an Origin', 16 * KB, (text) => isStoreOrigin({ url: 'https://a.example', home_url: 'https://a.example' }, text)],
  ['an Accept-Language', 16 * KB, detectLanguage],
  ['a User-Agent', 16 * KB, (text) => [clientKind(text), describeDevice(text)]],
  [
    'a text from a store',
    64 * KB,
    (text) => [toPlainText(text), removeSecrets(text, ['secret']), parseWebAddress(text), parseGmt(text)],
  ],
  ['an amount', 64 * KB, (text) => parseMinor(text, 'USD')],
  ['an SMS reply', 64 * KB, parseKeyword],
  ['an SMS to send', 1_600, (text) => [measureSms(text), toGsm(text)]],
  ['a provider’s template', 4 * KB, countPlaceholders],
  [
    'a reply of a mail server',
    20_000,
    (text) => [classifyBounce('5.0.0', text), parseStatus(text), removeAddresses(text)],
  ],
  ['a cell of a file', 64 * KB, (text) => [formatCsvCell(text), parseDate(text, 'dmy', 'Europe/Berlin')]],
  ['a heading of a file', 4 * KB, mapping],
  ['a value in a message', 64 * KB, (text) => cleanText(text, 120)],
  ['a link in a message', 50_000, linkAddress],
  ['the HTML of a message', 50_000, (text) => sanitizeHtml(text, rules)],
  ['the Liquid of a message', 50_000, (text) => [splitLiquid(text), listTags(text), isOnlyTags(text)]],
  ['the lines of a message', 100_000, tidyLines],
  ['a text opened as blocks', 50_000, (text) => openTemplate({ subject: text.slice(0, 200), body: text })],
]

describe('parsing stays fast:', () => {
  test.each(readers)('%s (%i characters)', (_name, length, read) => {
    const slow: [string, number][] = []
    for (const text of generateTexts(length)) {
      const ms = measureCpuMs(LIMIT_MS, () => read(text))
      if (ms > LIMIT_MS && !isLinear(ms, text, read)) slow.push([text.slice(0, 20), ms])
    }
    expect(slow).toEqual([])
  })

  test('rendering a whole message stops at its time limit (render-queue.ts), and slow text does not reach the limit', () => {
    const renderer = createTemplateRenderer()
    const slow: [string, number][] = []
    for (const body of generateTexts(40_000, ['x'])) {
      const ms = measureCpuMs(MESSAGE_LIMIT_MS, () => [
        runJob(renderer, { kind: 'check', subject: body.slice(0, 200), body }),
        runJob(renderer, { kind: 'checkText', body }),
      ])
      if (ms > MESSAGE_LIMIT_MS) slow.push([body.slice(0, 20), ms])
    }
    expect(slow).toEqual([])
  }, 300_000)

  test('a bounce mail with hostile headers, text or report', async () => {
    const slow: [string, string, number][] = []
    const head = 'From: mailer-daemon@a.example\r\nSubject: Undelivered mail\r\n'
    const report = `${head}Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n`
    const mails: [string, (text: string) => string][] = [
      ['head', (text) => `Subject: ${text}\r\n${head}\r\nHello`],
      ['text', (text) => `${head}\r\n${text}`],
      ['html', (text) => `${head}Content-Type: text/html\r\n\r\n${text}`],
      ['report', (text) => `${report}Final-Recipient: rfc822; a@a.example\r\nDiagnostic-Code: ${text}\r\n\r\n--b--`],
    ]
    for (const [where, mailOf] of mails)
      for (const text of generateTexts(64 * KB, ['x'])) {
        const ms = await measureAsyncCpuMs(MAIL_LIMIT_MS, () => readMailNews(Buffer.from(mailOf(text))))
        if (ms > MAIL_LIMIT_MS) slow.push([where, text.slice(0, 20), ms])
      }
    expect(slow).toEqual([])
  }, 300_000)
})
