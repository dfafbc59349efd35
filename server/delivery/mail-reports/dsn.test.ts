import { describe, expect, test } from 'vitest'
import { classifyBounce, parseStatus } from '../../messages/channels/bounce-rules.ts'
import { readMailNews } from './dsn.ts'

const ORIGINAL =
  'From: shop@mugs.com\r\nTo: ana@shopper.example\r\nSubject: 5.1.1 user unknown\r\n\r\n550 5.1.1 no such user\r\n'

/** As RFC 3464 has it; `fields` of the one recipient. */
const buildReport = (fields: string, prose = 'I’m sorry to have to inform you.') =>
  [
    'From: MAILER-DAEMON@mx.example (Mail Delivery System)',
    'Subject: Undelivered Mail Returned to Sender',
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="B"',
    '',
    '--B',
    'Content-Type: text/plain; charset=utf-8',
    '',
    prose,
    '--B',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example',
    'Arrival-Date: Mon,  2 Mar 2026 15:00:00 +0000 (UTC)',
    '',
    'Final-Recipient: rfc822; ana@shopper.example',
    fields,
    '',
    '--B',
    'Content-Type: message/rfc822',
    '',
    ORIGINAL,
    '--B--',
  ].join('\r\n')

const buildMail = (head: string[], body: string) => [...head, 'Content-Type: text/plain', '', body].join('\r\n')
const read = (raw: string) => readMailNews(Buffer.from(raw))

test.each([
  [
    'Postfix: no such user',
    'Action: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 <ana@shopper.example>:\r\n    Recipient address rejected: User unknown',
    'hard',
    '5.1.1',
  ],
  [
    'Exim: a code without its details',
    'Action: failed\r\nStatus: 5.0.0\r\nRemote-MTA: dns; mx.shopper.example\r\nDiagnostic-Code: smtp; 550 No such user here',
    'hard',
    '5.0.0',
  ],
  [
    'Exchange: the receiver’s own code beside 5.0.0',
    'Action: failed\r\nStatus: 5.0.0\r\nDiagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found',
    'hard',
    '5.1.10',
  ],
  [
    'Exchange Online: refused by the edge',
    'Action: failed\r\nStatus: 5.4.1\r\nDiagnostic-Code: smtp;550 5.4.1 Recipient address rejected: Access denied',
    'hard',
    '5.4.1',
  ],
  [
    'Gmail: inactive',
    'Action: failed\r\nStatus: 5.2.1\r\nDiagnostic-Code: smtp; 550 5.2.1 The email account that you tried to reach is inactive.',
    'hard',
    '5.2.1',
  ],
  [
    'Postfix: the domain is gone',
    'Action: failed\r\nStatus: 5.4.4\r\nDiagnostic-Code: X-Postfix; Host or domain name not found. Name service error',
    'hard',
    '5.4.4',
  ],
  [
    'refused as spam',
    'Action: failed\r\nStatus: 5.7.1\r\nDiagnostic-Code: smtp; 554 5.7.1 Message blocked, see https://x.example',
    'refused',
    '5.7.1',
  ],
  [
    'too big',
    'Action: failed\r\nStatus: 5.3.4\r\nDiagnostic-Code: smtp; 552 5.3.4 Message size exceeds limit',
    'refused',
    '5.3.4',
  ],
  [
    'the sender’s domain is at fault',
    'Action: failed\r\nStatus: 5.1.8\r\nDiagnostic-Code: smtp; 550 5.1.8 Sender domain not found',
    'refused',
    '5.1.8',
  ],
  ['a full mailbox', 'Action: failed\r\nStatus: 5.2.2\r\nDiagnostic-Code: smtp; 552 5.2.2 over quota', 'soft', '5.2.2'],
  [
    'given up after days',
    'Action: failed\r\nStatus: 4.4.1\r\nDiagnostic-Code: X-Postfix; connect: Connection timed out',
    'soft',
    '4.4.1',
  ],
  ['still trying, with any code', 'Action: delayed\r\nStatus: 5.1.1', 'soft', '5.1.1'],
  ['arrived', 'Action: delivered\r\nStatus: 2.0.0', 'delivered', '2.0.0'],
])('classifies a report: %s', async (_who, fields, kind, status) => {
  expect(await read(buildReport(fields))).toMatchObject({ kind, status, source: 'dsn' })
})

test.each([
  [
    'qmail',
    buildMail(
      ['From: MAILER-DAEMON@mx.example', 'Subject: failure notice'],
      'Hi. This is the qmail-send program at mx.example.\r\nI’m afraid I wasn’t able to deliver your message.\r\n\r\n<ana@shopper.example>:\r\nSorry, no mailbox here by that name. (#5.1.1)\r\n\r\n--- Below this line is a copy of the message.\r\n\r\n552 5.2.2 over quota',
    ),
    'hard',
  ],
  [
    'Exim',
    buildMail(
      [
        'From: Mail Delivery System <Mailer-Daemon@mx.example>',
        'Subject: Mail delivery failed: returning message to sender',
      ],
      'A message that you sent could not be delivered:\r\n\r\n  ana@shopper.example\r\n    host mx.shopper.example [192.0.2.5]\r\n    SMTP error from remote mail server after RCPT TO:\r\n    550 Unrouteable address',
    ),
    'hard',
  ],
  [
    'old Exchange',
    buildMail(
      ['From: postmaster@corp.example', 'Subject: Undeliverable: Your cart'],
      'Delivery has failed to these recipients:\r\nana@corp.example\r\nThe e-mail address you entered could not be found.\r\n#550 5.1.1 RESOLVER.ADR.RecipNotFound; not found ##',
    ),
    'hard',
  ],
  [
    'Gmail',
    buildMail(
      [
        'From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
        'Subject: Delivery Status Notification (Failure)',
      ],
      '** Address not found **\r\nYour message wasn’t delivered because the address couldn’t be found.\r\nThe response from the remote server was: 550 5.1.1 The email account that you tried to reach does not exist.',
    ),
    'hard',
  ],
  [
    'a warning',
    buildMail(
      ['From: MAILER-DAEMON@mx.example', 'Subject: Warning: could not send message for past 4 hours'],
      'I will keep trying. 450 4.2.0 greylisted',
    ),
    'soft',
  ],
  [
    'marked as an automatic answer',
    buildMail(
      ['From: MAILER-DAEMON@mx.example', 'Subject: failure notice', 'Auto-Submitted: auto-replied', 'X-Autoreply: yes'],
      'Sorry, no mailbox here by that name. (#5.1.1)',
    ),
    'hard',
  ],
  [
    'a policy in words',
    buildMail(
      ['From: postmaster@mx.example', 'Subject: Undeliverable'],
      '550 Message rejected as spam by content filter',
    ),
    'refused',
  ],
])('prose of servers without reports is understood: %s', async (_who, raw, kind) => {
  expect(await read(raw)).toMatchObject({ kind, source: 'dsn' })
})

test('a spam report is a complaint (RFC 5965), a "not spam" report is not', async () => {
  const arf = (type: string) =>
    `From: fbl@isp.example\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=B\r\n\r\n--B\r\nContent-Type: text/plain\r\n\r\nThis is an abuse report\r\n--B\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: ${type}\r\nUser-Agent: X/1\r\nVersion: 1\r\n--B\r\nContent-Type: message/rfc822\r\n\r\n${ORIGINAL}\r\n--B--`
  expect(await read(arf('abuse'))).toMatchObject({ kind: 'complaint', source: 'arf' })
  expect(await read(arf('not-spam'))).toBeNull()
})

test.each([
  [
    'a vacation note',
    buildMail(
      ['From: ana@shopper.example', 'Subject: Out of office: Your cart', 'Auto-Submitted: auto-replied'],
      'Back on Monday. 550 5.1.1 is my room.',
    ),
  ],
  ['a person’s reply', buildMail(['From: ana@shopper.example', 'Subject: Re: Your cart'], 'User unknown? 5.1.1!')],
  ['nothing', ''],
  ['noise', '\0\0\xff--B\r\n'.repeat(5_000)],
  ['a report of nothing', buildReport('')],
  ['a hundred parts deep', 'Content-Type: multipart/report; boundary=B\r\n\r\n--B\r\n'.repeat(100)],
])('%s is no news', async (_what, raw) => {
  expect(await read(raw)).toBeNull()
})

test('the receiver’s text is stored as one short line without addresses', async () => {
  const parsed = await read(
    buildReport(
      `Action: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 <ana@shopper.example> unknown${'!'.repeat(900)}`,
    ),
  )
  expect(parsed?.words).toMatch(/^550 5\.1\.1 <…> unknown!/)
  expect(parsed?.words.length).toBeLessThanOrEqual(500)
})

describe('codes', () => {
  test.each([
    ['smtp; 550 5.1.1 unknown', '5.1.1'],
    ['from 5.1.1.20 at 10.5.1.1', null],
    ['(#5.1.2)', '5.1.2'],
    ['error: 451 try later', '4.0.0'],
    ['550-first line', '5.0.0'],
    ['order 5504 has 550', null],
  ])('%s → %s', (text, status) => expect(parseStatus(text)).toBe(status))

  test('an unknown code counts as a soft bounce', () => {
    expect(classifyBounce(null, 'something happened')).toBe('soft')
  })
})
