import { expect, test } from 'vitest'
import { authorizeTest } from '../../messages/channels/send-authorization.ts'
import { createSmtpChannel } from './smtp.ts'

// Headers are added from the database, before any connection. Nothing listens at this port, so a connection attempt
// would give another reason.

const away = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })

test.each([
  ['the database is away', away, { response: 'Not sent: the database was unreachable.', retryAfterMs: 1_000 }],
  ['the key cannot be used', new Error('bad key'), { response: 'Not sent: bad key' }],
])('a mail that cannot be prepared is not sent, and is retried: %s (D4)', async (_, problem, text) => {
  const channel = createSmtpChannel({ url: 'smtp://127.0.0.1:9', mailHeaders: () => Promise.reject(problem) })
  const sent = await channel.send({
    messageId: 'msg_01',
    from: { name: 'Harbour & Co', address: 'shop@harbour.example' },
    to: 'ana@shopper.example',
    subject: 'Your cart',
    html: '<p>Hello</p>',
    text: 'Hello',
    headers: {},
    sendAuthorization: authorizeTest(),
  })
  expect(sent).toEqual({ kind: 'retry', reason: 'not_sent', ...text })
})
