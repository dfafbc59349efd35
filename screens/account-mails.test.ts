import { expect, test } from 'vitest'
import { renderAccountMail } from '../server/workspace/accounts/account-mail.ts'
import { checkFits, checkReadable, mailVariants, renderMailHtml, sampleMails, sender } from './account-mails.ts'
import { createScreens } from './app.ts'

const app = createScreens()

test('every account mail fits 320 pixels, in any font and without head styles', async () => {
  const page = await app.openAnotherPage()
  for (const mail of Object.values(sampleMails)) {
    for (const look of [mailVariants.usual!, mailVariants.both!]) await checkFits(page, look(renderMailHtml(mail)), 320)
  }
})

test.each(['light', 'dark'] as const)('account mails are readable in %s', async (colorScheme) => {
  const page = await app.openAnotherPage()
  for (const name of ['reset', 'email-change', 'notifications', 'summary'])
    await checkReadable(page, renderMailHtml(sampleMails[name]!), colorScheme, 320)
})

test.each(
  Object.entries(sampleMails),
)('the mail %s has the same content as plain text, with its address', (_name, mail) => {
  const { text } = renderAccountMail(mail, sender)
  const items = (mail.items ?? []).flatMap((item) => [item.title, item.note, item.text])
  const around = [...mail.paragraphs, ...(mail.after ?? []), mail.more ?? '', mail.link.url, mail.footer?.url ?? '']
  for (const part of [...around, ...items, sender.supportEmail]) expect(text).toContain(part)
  expect(text).not.toContain('<')
})
