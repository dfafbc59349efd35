import { expect, test } from 'vitest'
import { type MailDocument, MailDocumentSchema } from '../../../shared/messages/mail-document.ts'
import { openMail } from './mail.ts'

const build = (count: number): MailDocument =>
  MailDocumentSchema.parse({
    version: 1,
    theme: 'quiet',
    subject: [{ kind: 'text', text: 'Subject' }],
    preview: [],
    bands: [0, 1, 2].map((band) => ({
      id: `band${band}000`,
      blocks: Array.from({ length: count }, (_, at) => ({
        id: `block${band}${at}`,
        type: 'text',
        inlines: Array.from({ length: 200 }, () => ({ kind: 'text', text: 'x' })),
      })),
    })),
    footer: {},
  })
const source = (id: string, design: MailDocument) => ({ id, version: 1, subject: 'Subject', body: 'x', design })

test('keeps an opened mail, but not so many large ones that the process runs out of memory', () => {
  const first = source('first', build(1))
  const opened = openMail(first)
  expect(openMail(first)).toBe(opened)
  const large = build(39)
  for (let number = 0; number < 12; number += 1) openMail(source(`large${number}`, large))
  expect(openMail(first)).not.toBe(opened)
})
