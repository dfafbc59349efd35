import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import { composeMessage } from './smtp-message.ts'

test('text in subject and sender that looks encoded is not decoded', async () => {
  const encoded = '=?utf-8?b?ZXZpbC5jb20gbG9naW4=?='
  const { raw } = await composeMessage({
    messageId: 'msg_01',
    from: { name: encoded, address: 'shop@harbour.example' },
    to: 'ana@shopper.example',
    subject: `Hi ${encoded}`,
    html: '<p>Hi</p>',
    text: 'Hi',
    headers: {},
  })
  const { subject, from } = await PostalMime.parse(raw)
  expect(subject).toContain('ZXZpbC5jb20gbG9naW4')
  expect(from?.name).toContain('ZXZpbC5jb20gbG9naW4')
})
