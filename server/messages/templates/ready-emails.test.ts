import { describe, expect, test } from 'vitest'
import { MailDocumentSchema, mailLanguages } from '../../../shared/messages/mail-document.ts'
import { getReadyEmail } from './ready-emails.ts'

const IDS = ['first_reminder', 'second_reminder', 'last_reminder'] as const

describe.each(mailLanguages)('in %s', (language) => {
  test.each(IDS)('%s is a valid design, with its words as text and a place for a coupon', (id) => {
    const { subject, body, design } = getReadyEmail(id, `${language}-XX`)
    expect(MailDocumentSchema.parse(design)).toEqual(design)
    expect(design).toMatchObject({ theme: 'quiet', language })
    expect(subject).not.toBe('')
    expect(body).toContain('{{ checkout_link }}')
    const blocks = design!.bands.flatMap((band) => band.blocks)
    expect(blocks.filter((block) => block.type === 'items' && block.hasCoupon)).toHaveLength(1)
  })
})

test('an unknown language has the English emails', () => {
  for (const id of IDS) {
    for (const locale of [null, 'fi', 'constructor']) expect(getReadyEmail(id, locale)).toEqual(getReadyEmail(id, 'en'))
  }
})
