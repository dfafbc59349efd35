import { describe, expect, test } from 'vitest'
import fixture from '../../../test/fixtures/bounces-not-the-address.json' with { type: 'json' }
import { chooseStatus, classifyBounce, parseStatus } from './bounce-rules.ts'
import { mapFailure } from './smtp-outcome.ts'

// Only a refusal that blames the address suppresses it.

const readKind = (status: string, text: string) => classifyBounce(chooseStatus(status, parseStatus(text)), text)
const rejectRecipient = (response: string) =>
  mapFailure({
    stage: 'envelope',
    isBodySent: false,
    code: 'EENVELOPE',
    systemCode: null,
    command: 'RCPT TO',
    response,
    replyCode: Number(response.slice(0, 3)),
  })

const { cases } = fixture
const reports = cases.flatMap(({ status, diagnostic, want }): [string, string, string][] =>
  status && diagnostic ? [[status, diagnostic, /^(\w+)/.exec(want)![1]!]] : [],
)
const answers = cases.flatMap(({ reply, want }) => (reply ? [[reply, want] as const] : []))

describe('a returned mail', () => {
  test.each<[string, string, string]>([
    ...reports,
    ['5.1.0', '550 5.1.0 Sender address rejected: not owned by user', 'refused'],
    ['5.1.1', '550 5.1.1 Message blocked: sending host has a poor reputation', 'refused'],
    ['5.2.1', '550 5.2.1 Mail from this domain is not accepted here', 'refused'],
    ['5.0.0', '550 Too many connections from your host', 'soft'],
    ['5.1.1', '550 5.1.1 Daily message quota exceeded', 'soft'],
    ['5.2.0', '550 5.2.0 DMARC of the sender fails', 'refused'],
    ['5.1.2', '550 5.1.2 Message size exceeds the limit', 'refused'],
    ['5.1.1', '550 5.1.1 <a@b.example>: undeliverable address: host mx.b.example said: 451 greylisted', 'soft'],
    ['5.1.1', '550 5.1.1 Mailbox temporarily unavailable, try again later', 'soft'],
  ])('%s “%s” does not blame the address: %s', (status, text, kind) => {
    expect(readKind(status, text)).toBe(kind)
  })

  test.each([
    ['5.1.1', '550 5.1.1 User unknown in virtual mailbox table'],
    ['5.1.1', '550 5.1.1 <temporary@deferred.example>: User unknown'],
    ['5.1.1', `${'This is the mail system. '.repeat(30)}550 5.1.1 The mailbox does not exist\nFull report follows`],
    [
      '5.1.1',
      '550-5.1.1 The email account that you tried to reach does not exist. Check the spelling, and the sender’s typing',
    ],
    ['5.1.10', '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup'],
    ['5.2.1', '550 5.2.1 The email account that you tried to reach is disabled'],
    ['5.1.1', '550 5.1.1'],
    ['5.1.3', '501 5.1.3 Bad recipient address syntax'],
  ])('%s “%s” means a bad address', (status, text) => {
    expect(readKind(status, text)).toBe('hard')
  })
})

describe('a mail server’s reply to RCPT', () => {
  test.each(answers)('%s: %s', (reply, want) => {
    const outcome = rejectRecipient(reply)
    expect(outcome.kind).toBe(want.startsWith('retried') ? 'retry' : 'rejected')
    expect(outcome).not.toMatchObject({ isRecipientFault: true })
  })

  test.each([
    '550 No such user',
    '550 5.1.1 <a@b.example>: user unknown',
    '553 sorry, that cannot be',
  ])('%s: blames the address', (reply) => {
    expect(rejectRecipient(reply)).toMatchObject({ kind: 'rejected', isRecipientFault: true })
  })
})
